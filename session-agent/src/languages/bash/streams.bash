# The kernel's own descriptors, at high numbers because scripts use 3 to 9. They are close-on-exec, so that no child has them.

readonly __holdfast_saved_min=10 __holdfast_saved_max=59

# Moves descriptor $1 to number $2 and makes it close-on-exec. bash sets that flag only when it saves a descriptor, and copies it along:
# so $1 is closed for one command, and the copy is made from the descriptor that bash saves meanwhile. $2 is closed first, because bash
# would restore an open one in the end.
__holdfast_take() {
  local __holdfast_my_fd __holdfast_my_before=' '
  for ((__holdfast_my_fd = __holdfast_saved_min; __holdfast_my_fd <= __holdfast_saved_max; __holdfast_my_fd++)); do
    if [[ -e /dev/fd/$__holdfast_my_fd ]]; then __holdfast_my_before+="$__holdfast_my_fd "; fi
  done
  builtin eval "exec $2>&-; { __holdfast_copy_saved $2; } $1>&-; exec $1>&-"
}

# Copies the descriptor that is not listed in `before` to number $1.
__holdfast_copy_saved() {
  for ((__holdfast_my_fd = __holdfast_saved_min; __holdfast_my_fd <= __holdfast_saved_max; __holdfast_my_fd++)); do
    if [[ -e /dev/fd/$__holdfast_my_fd && $__holdfast_my_before != *" $__holdfast_my_fd "* ]]; then
      builtin eval "exec $1>&$__holdfast_my_fd"
      return
    fi
  done
}

# Points fds 1 and 2 between the steps: background output may still come from traps, but not the newline that bash prints to stderr on
# SIGINT. loop.bash opens the streams anew for each step, since a child may have made those that it shares with the kernel non-blocking.
__holdfast_rest_streams() {
  exec 1>"/dev/fd/$__holdfast_out" 2>/dev/null
}

# Writes the running step's mark $1 to both streams.
__holdfast_mark() {
  if [[ $__holdfast_replaying ]]; then return 0; fi
  builtin printf '\0holdfast:%s:%s\0' "$__holdfast_nonce" "$1" >&"$__holdfast_out"
  builtin printf '\0holdfast:%s:%s\0' "$__holdfast_nonce" "$1" >&"$__holdfast_err"
}

# Replaces the FIFOs by those in folder $1. If they cannot be opened, the old ones stay.
__holdfast_replace_streams() {
  local __holdfast_my_out __holdfast_my_err
  { exec {__holdfast_my_out}>"$1/1" {__holdfast_my_err}>"$1/2"; } 2>/dev/null || return 0
  __holdfast_take "$__holdfast_my_out" "$__holdfast_out"
  __holdfast_take "$__holdfast_my_err" "$__holdfast_err"
  __holdfast_rest_streams
}

# Gives the interpreter the lines that it reads as commands when loop.bash was left. It reads 1024 bytes at once, which is
# eight whole lines. Each further interrupt may use up a line.
__holdfast_refill() {
  exec <<<"$__holdfast_lines"
}
builtin printf -v __holdfast_lines '%-127s\n' \
  '{ \builtin eval "$__holdfast_leave_late"; __holdfast_place_loop; } >/dev/null 2>&1; \builtin . "$__holdfast_loop"'{,,,,,,,}{,,,}
readonly __holdfast_lines=${__holdfast_lines%$'\n'}

# Whether any child process lives, adopted orphans included, except the one that writes a snapshot.
__holdfast_has_children() {
  local __holdfast_my_children=''
  if { builtin read -r __holdfast_my_children; } 2>/dev/null <"/proc/$__holdfast_pid/task/$__holdfast_pid/children"; then :; fi
  if [[ $__holdfast_writer && " $__holdfast_my_children" == *" ${__holdfast_writer% *} "* ]] && __holdfast_writer_lives; then
    __holdfast_my_children=" $__holdfast_my_children"
    __holdfast_my_children=${__holdfast_my_children/" ${__holdfast_writer% *} "/ }
  fi
  [[ $__holdfast_my_children == *[0-9]* ]]
}
