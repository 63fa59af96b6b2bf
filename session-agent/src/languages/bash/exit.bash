# Ends a step that exits, and lets the shell live: by the function `exit`, by the trap on ERR right before `set -e` ends the shell, and by
# the trap on EXIT when an error of expansion ends it under `set -e`. All of them jump out of the step as SIGINT does, which unwinds all
# functions, loops and files and keeps directory, variables and functions. Subshells exit as ever.

__holdfast_exit_code='' __holdfast_exit_text='' __holdfast_exits=''

# If code exports the function, other shells get it.
__holdfast_define_exit() {
  if builtin declare -F exit >/dev/null; then builtin return; fi
  exit() {
    case ${__holdfast_pid-} in
      '') builtin exit "$@" ;;
      *) __holdfast_exit "$@" ;;
    esac
  }
}

# Works as the builtin `exit`. The trap on EXIT runs first, with the streams of the code that exits and with the exit code as `$?`. It may
# exit with another code. It runs once, because the code that has set it has ended.
__holdfast_exit() {
  { __holdfast_note_exit "$?" "$@" && for __holdfast_none in; do :; done; } 63>&2 2>/dev/null
  builtin eval "$__holdfast_exit_text"
  { __holdfast_jump; } 2>/dev/null
  # A subshell. The backslash tells the trap on DEBUG (order.bash) that this is none of the user's commands.
  \builtin exit "$__holdfast_exit_code"
}

# Notes and returns the exit code, as the builtin makes it from the arguments behind $1, which is the last status. Notes the text of the
# trap on EXIT, if it is to run.
__holdfast_note_exit() {
  builtin local -
  builtin set +aekux
  __holdfast_exit_code=$1 __holdfast_exit_text=''
  builtin shift
  if [[ $# == 1 && $1 == [0-9]?([0-9])?([0-9]) ]]; then
    __holdfast_exit_code=$((10#$1 & 255))
  elif (($#)); then
    (\builtin exit "$@") 2>&63
    __holdfast_exit_code=$?
  fi
  if ((BASHPID == __holdfast_pid)) && [[ ! $__holdfast_exits ]]; then
    __holdfast_take_traps
    __holdfast_exit_text=$__holdfast_user_exit __holdfast_user_exit='' __holdfast_exits=x
  fi
  builtin return "$__holdfast_exit_code"
}

# Leaves the step, unless this is a subshell. SIGINT jumps only if nothing traps it, and not before the next command.
__holdfast_jump() {
  builtin local -
  builtin set +aekux
  if ((BASHPID != __holdfast_pid)); then builtin return; fi
  __holdfast_interrupt_trap=$(builtin trap -p INT)
  if [[ $__holdfast_interrupt_trap ]]; then builtin trap - INT; fi
  builtin kill -INT "$__holdfast_pid"
  builtin :
}
