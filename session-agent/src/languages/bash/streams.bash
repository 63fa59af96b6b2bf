# The kernel's own descriptors, at high numbers: 3 to 9 are what scripts use. Close-on-exec, so that no child has them.

readonly __holdfast_saved_min=10 __holdfast_saved_max=59

# Moves descriptor $1 to number $2. bash sets close-on-exec only where it saves a descriptor, and copies that flag: so the copy is
# made from the one that it saves for the time in which $1 is closed. Over an open descriptor it would put that back in the end.
__holdfast_take() {
  local fd before=' '
  for ((fd = __holdfast_saved_min; fd <= __holdfast_saved_max; fd++)); do
    if [[ -e /dev/fd/$fd ]]; then before+="$fd "; fi
  done
  builtin eval "exec $2>&-; { __holdfast_copy_saved $2; } $1>&-; exec $1>&-"
}

# Copies the descriptor that is not in `before` to number $1.
__holdfast_copy_saved() {
  for ((fd = __holdfast_saved_min; fd <= __holdfast_saved_max; fd++)); do
    if [[ -e /dev/fd/$fd && $before != *" $fd "* ]]; then
      builtin eval "exec $1>&$fd"
      return
    fi
  done
}

# Has fds 1 and 2 go to the step's streams, opened anew: a child may have made those that it shares with us non-blocking.
__holdfast_restore_streams() {
  exec 1>"/dev/fd/$__holdfast_out" 2>"/dev/fd/$__holdfast_err"
}

# Writes the end marks for nonce $1.
__holdfast_mark_streams() {
  builtin printf '\0holdfast-end:%s\0' "$1" >&"$__holdfast_out"
  builtin printf '\0holdfast-end:%s\0' "$1" >&"$__holdfast_err"
}

# Goes on with the FIFOs in folder $1; with the old ones where they cannot be opened.
__holdfast_replace_streams() {
  local out err
  { exec {out}>"$1/1" {err}>"$1/2"; } 2>/dev/null || return 0
  __holdfast_take "$out" "$__holdfast_out"
  __holdfast_take "$err" "$__holdfast_err"
  __holdfast_restore_streams
}

# Gives the interpreter what it reads as commands where turn.bash was left. It reads 1024 bytes at once, which is
# eight whole lines; further interrupts may cost one each.
__holdfast_refill() {
  exec <<<"$__holdfast_lines"
}
builtin printf -v __holdfast_lines '%-127s\n' \
  '{ \builtin eval "$__holdfast_leave_late"; } >/dev/null 2>&1; \builtin . "$__holdfast_home/turn.bash"'{,,,,,,,}{,,,}
readonly __holdfast_lines=${__holdfast_lines%$'\n'}

# Whether any child process lives, orphans that the kernel has adopted included.
__holdfast_has_children() {
  local children=''
  if { builtin read -r children; } 2>/dev/null <"/proc/$__holdfast_pid/task/$__holdfast_pid/children"; then :; fi
  [[ -n $children ]]
}
