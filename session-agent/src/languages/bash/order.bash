# Keeps the order of stdout and stderr: a trap on DEBUG marks the turn before each command that may write to another stream than the
# command before it. The trap takes time, so a step that only prints to stdout goes without it (choose-watch.bash).

# Commands that cannot write go without a call, unless a pipeline or a command that failed is before them, or one that has perhaps set a
# trap. The builtin `exit` is caught here: behind `builtin` or `command`, and in posix mode.
readonly __holdfast_on_command='case $__holdfast_sets_trap$?.${#PIPESTATUS[@]}$BASH_COMMAND in '\
'[01].1"(("* | [01].1"[["* | [01].1"[ "* | *[0-9]"__holdfast_"* | *[0-9]"\builtin "*) ;; '\
'*[0-9]"builtin exit"* | *[0-9]"command exit"*) \builtin eval "__holdfast_exit${BASH_COMMAND#*exit}" ;; '\
'*) case $SHELLOPTS$BASH_COMMAND in *posix*exit*) case $BASH_COMMAND in exit | exit\ *) '\
'\builtin eval "__holdfast_exit${BASH_COMMAND#exit}" ;; esac ;; esac; __holdfast_watch $?.${#PIPESTATUS[@]} "$_" ;; esac'
__holdfast_own_debug=$(builtin trap "$__holdfast_on_command" DEBUG && builtin trap -p DEBUG)
readonly __holdfast_own_debug

# Watching takes many times as long as a short command, so a step with more commands goes on without.
readonly __holdfast_watched_max=2000

__holdfast_watch_commands() {
  __holdfast_watched=0 __holdfast_written='' __holdfast_sets_trap='' __holdfast_loop_head=''
  builtin set -T
  builtin trap "$__holdfast_on_command" DEBUG
}

# Marks the turn before a command. $1 has the status of the last one and the number of its parts; $2, its last argument, becomes `$_` again.
__holdfast_watch() {
  if ((BASHPID != __holdfast_pid)) || [[ ${FUNCNAME[1]-} == __holdfast* ]]; then return; fi
  if [[ $__holdfast_sets_trap ]]; then
    __holdfast_sets_trap=''
    __holdfast_take_traps
  fi
  if ((++__holdfast_watched > __holdfast_watched_max)); then
    __holdfast_mark t
    builtin trap - DEBUG
    return
  fi
  # A status above 1 tells of an error, and perhaps of its message. Pipelines and subshells have no trap on DEBUG before them.
  if [[ $1 != [01].1 || $__holdfast_has_subshells ]]; then __holdfast_written=both; fi
  local __holdfast_my_stream
  __holdfast_my_stream=both
  case $BASH_COMMAND in
    # bash reports a loop once more for each round. Only before the first has it run the substitutions of the list.
    for\ *) if [[ $BASH_COMMAND != *[\`\<\(]* || $BASH_COMMAND == "$__holdfast_loop_head" ]]; then return; else __holdfast_loop_head=$BASH_COMMAND; fi ;;
    case\ *) if [[ $BASH_COMMAND != *[\`\<\(]* ]]; then return; fi ;;
    trap\ * | *\ trap\ *) __holdfast_sets_trap=x ;;
    *[\<\`]* | *'$('*) ;;
    echo\ *'>'* | printf\ *'>'*) if [[ $BASH_COMMAND == *' 1>&2' && ${BASH_COMMAND%'>'*} != *'>'* ]]; then __holdfast_stream_of 2; fi ;;
    echo | echo\ * | printf\ *) __holdfast_stream_of 1 ;;
    : | :\ * | true | false | local\ * | declare\ * | export\ * | shift* | break* | continue* | return*) return ;;
    *) if [[ $BASH_COMMAND == [[:alpha:]_]*([[:alnum:]_])=*([^[:space:]]) ]]; then return; fi ;;
  esac
  if [[ ! $__holdfast_my_stream ]]; then return; fi
  if [[ $__holdfast_written && ($__holdfast_my_stream == both || $__holdfast_my_stream != "$__holdfast_written") ]]; then __holdfast_mark t; fi
  __holdfast_written=$__holdfast_my_stream
}

# Sets `stream` to the stream to which descriptor $1 leads, or to nothing if it leads elsewhere.
__holdfast_stream_of() {
  if [[ /dev/fd/$1 -ef /dev/fd/$__holdfast_out ]]; then
    __holdfast_my_stream=stdout
  elif [[ /dev/fd/$1 -ef /dev/fd/$__holdfast_err ]]; then
    __holdfast_my_stream=stderr
  else
    __holdfast_my_stream=''
  fi
}
