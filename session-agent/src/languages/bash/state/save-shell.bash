# Saves what is the shell's own: traps, the places of commands, the clock `SECONDS`; and names what stays in the lost sandbox.

# A subshell knows its parent's traps until it sets one. Each line of `trap -p` is a command, which a function can take.
__holdfast_note_signals() {
  __holdfast_trap_lines=$(builtin trap -p)
}

__holdfast_save_traps() {
  local __holdfast_handler=__holdfast_save_trap
  trap() { "$__holdfast_handler" "$@"; }
  builtin eval "$__holdfast_trap_lines"
  __holdfast_handler=__holdfast_save_own_trap
  builtin eval "$__holdfast_traps"
  if [[ $__holdfast_user_err ]]; then __holdfast_setting 'trap ERR' "__holdfast_user_err=${__holdfast_user_err@Q}"; fi
  if [[ $__holdfast_user_exit ]]; then __holdfast_setting 'trap EXIT' "__holdfast_user_exit=${__holdfast_user_exit@Q}"; fi
  builtin unset -f trap
}

__holdfast_save_completions() {
  complete() {
    __holdfast_quote builtin complete "$@"
    __holdfast_completions+=$__holdfast_code$'\n'
  }
  local __holdfast_completions=''
  builtin eval "$(builtin complete -p)"
  builtin unset -f complete
  if [[ $__holdfast_completions ]]; then __holdfast_setting completions "$__holdfast_completions"; fi
}

__holdfast_save_trap() {
  case $3 in
    # The kernel sets these, and keeps the user's (traps.bash).
    SIGINT | SIGCHLD | DEBUG | ERR | EXIT | RETURN) ;;
    *)
      __holdfast_quote builtin trap -- "$2" "$3"
      __holdfast_setting "trap $3" "$__holdfast_code"
      ;;
  esac
}

__holdfast_save_own_trap() {
  # In POSIX mode, `trap -p` shows the signals without a trap as well.
  if [[ $2 == - ]]; then return; fi
  __holdfast_quote trap -- "$2" "$3"
  __holdfast_quote "$__holdfast_code"$'\n'
  __holdfast_setting "trap $3" "__holdfast_traps+=$__holdfast_code"
}

# SECONDS goes on as if the shell had lived on. It counts from a point in time, which is saved.
__holdfast_save_special() {
  local __holdfast_now
  builtin printf -v __holdfast_now '%(%s)T' -1
  if [[ $__holdfast_declared == *$'\ndeclare -i SECONDS='* ]]; then
    __holdfast_record hidden SECONDS "builtin printf -v __holdfast_now '%(%s)T' -1; SECONDS=\$((__holdfast_now - $((__holdfast_now - SECONDS))))"
  fi
  if [[ $0 != "$__holdfast_argv0" ]]; then __holdfast_setting '$0' "BASH_ARGV0=${0@Q}"; fi
  if [[ $__holdfast_disabled ]]; then __holdfast_setting 'enable -n' "${__holdfast_disabled//enable/builtin enable}"; fi
}

# Notes the descriptors that belong to code. Those of the shell itself are close-on-exec.
__holdfast_note_descriptors() {
  local __holdfast_fd __holdfast_info
  __holdfast_descriptors=()
  for __holdfast_fd in /proc/self/fd/*; do
    __holdfast_fd=${__holdfast_fd##*/}
    if [[ $__holdfast_fd == [0123*] || $__holdfast_fd == 25[0-5] || $__holdfast_fd == "$__holdfast_channel" ]]; then continue; fi
    { builtin mapfile -t __holdfast_info <"/proc/self/fdinfo/$__holdfast_fd"; } 2>/dev/null || continue
    __holdfast_info=${__holdfast_info[1]##*[!0-7]}
    if ((!(0$__holdfast_info & 02000000))); then __holdfast_descriptors+=("$__holdfast_fd"); fi
  done
}

# Names what cannot come back. The functions' code is known by now.
__holdfast_refuse_others() {
  local __holdfast_line __holdfast_array
  if [[ $__holdfast_sets_random && $__holdfast_declared == *$'\ndeclare -i RANDOM='* ]]; then
    __holdfast_refuse RANDOM 'code sets it, and the place in its sequence cannot be saved'
  fi
  for __holdfast_line in "${__holdfast_descriptors[@]}"; do
    __holdfast_refuse "fd $__holdfast_line" 'an open file stays in the lost sandbox'
  done
  builtin mapfile -t __holdfast_array <<<"$__holdfast_running"
  for __holdfast_line in "${__holdfast_array[@]}"; do
    if [[ $__holdfast_line == '['*']'* ]]; then
      __holdfast_line=${__holdfast_line#?}
      __holdfast_refuse "job ${__holdfast_line%%]*}" 'a background process stays in the lost sandbox'
    fi
  done
  # It has the number of a substitution `<(...)`, too, of which nothing is left when it has ended.
  if [[ $__holdfast_background && ($__holdfast_starts_processes || $(__holdfast_started "$__holdfast_background")) ]]; then
    __holdfast_refuse '$!' 'a background process stays in the lost sandbox'
  fi
}
