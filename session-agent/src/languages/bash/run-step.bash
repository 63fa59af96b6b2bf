# Runs steps: waits for the next one and begins it. A step that a jump has left is ended first (end-step.bash).
#
# A step's code does not run in a function (loop.bash), so that `declare` works as at a prompt. The kernel's commands before and after
# it save and set the step's options and traps, and hide what tracing would print of that.

# Saves the step's traps and tracing, and `$?` and `$_` of its last command. Traps and options that would act on the kernel's own
# commands are off until the next step.
readonly __holdfast_leave='__holdfast_status=$? __holdfast_last=$_ __holdfast_options=${-//[!kxvET]/}; '
readonly __holdfast_leave_then='\builtin set +kxvET; '"$__holdfast_list_traps; "'\builtin trap "" INT; \builtin trap - CHLD DEBUG ERR EXIT RETURN; __holdfast_left=1; '

# Does so if the step's code has not come to its end: after a syntax error, or after a jump out of it, as by SIGINT.
# An interrupt jumps only if INT has no trap, so further interrupts can be ignored at once.
readonly __holdfast_leave_late='{ __holdfast_jump=$? __holdfast_jump_last=$_; if [[ $__holdfast_step && ! $__holdfast_left ]]; then '\
'if ((__holdfast_jump == 130)); then \builtin trap "" INT; fi; '"$__holdfast_leave"'if [[ $__holdfast_guarded ]]; then __holdfast_restore_builtins; fi; '"$__holdfast_leave_then"\
'if ((__holdfast_jump == 130)); then __holdfast_traps=${__holdfast_traps/"$__holdfast_ignored"/}; fi; '\
'__holdfast_status=$__holdfast_jump __holdfast_last=$__holdfast_jump_last __holdfast_left=late; fi; } >/dev/null 2>&1; '

# The text before the step's code, on the same line, and the text behind it. Code that bash cannot parse as a whole runs in an eval of its
# own. The text behind it could become a part of such code, and bash quotes the line of a syntax error with all that stands there.
# The step's `$?` is that of the step before, and neither -e nor a trap on ERR takes it for a failure, because of the empty loop.
readonly __holdfast_prefix='{ __holdfast_enter "$__holdfast_last" && for __holdfast_none in; do :; done; } >/dev/null 2>&1; '
readonly __holdfast_suffix=$'\n{ '"$__holdfast_leave" __holdfast_suffix_end="$__holdfast_leave_then} >/dev/null 2>&1"
readonly __holdfast_nested='\builtin eval "$__holdfast_source"'

readonly __holdfast_ignored="trap -- '' SIGINT"
__holdfast_flags='' __holdfast_step='' __holdfast_left='' __holdfast_status=0 __holdfast_last='' __holdfast_options='' __holdfast_environment=() __holdfast_ticks=0

# Ends a step that was left by a jump, and answers requests until the next step comes, which it puts into the kernel's variables.
__holdfast_next() {
  __holdfast_flags=$SHELLOPTS
  local -
  builtin set +aefnuCETk +o posix
  if [[ $__holdfast_step ]]; then __holdfast_end_step; fi
  if [[ $__holdfast_recovery ]] && __holdfast_continue_recovery; then return 0; fi
  __holdfast_answer
}

# Here the variables are local, and so hide the user's of the same names from what the kernel does meanwhile.
__holdfast_answer() {
  local __holdfast_my_line __holdfast_my_texts
  while __holdfast_receive; do
    case $__holdfast_my_line in
      '{"type":"execute",'*)
        __holdfast_prepare
        return 0
        ;;
      '{"type":"symbols",'* | '{"type":"complete",'* | '{"type":"inspect",'* | '{"type":"parse",'*)
        (builtin source "$__holdfast_home/answer.bash") </dev/null >/dev/null 2>&1
        ;;
      '{"type":"snapshot",'*)
        __holdfast_field "$__holdfast_my_line" id __holdfast_id
        __holdfast_field "$__holdfast_my_line" bytesMax __holdfast_bytes
        __holdfast_field "$__holdfast_my_line" timeoutMs __holdfast_timeout
        __holdfast_path=${__holdfast_my_texts[0]} __holdfast_code=$__holdfast_snapshot_code
        return 0
        ;;
      '{"type":"recover",'*)
        __holdfast_field "$__holdfast_my_line" id __holdfast_id
        __holdfast_path=${__holdfast_my_texts[0]}
        builtin source "$__holdfast_home/state/recover.bash"
        __holdfast_begin_recovery
        __holdfast_code=:
        return 0
        ;;
    esac
  done
  # The agent is gone. Not `exit`, which would run the user's trap.
  builtin kill -KILL "$__holdfast_pid"
}

# Reads an execute request. Its texts are the code and then the variables for this step, each with its value.
__holdfast_prepare() {
  local __holdfast_my_stdin __holdfast_my_streams
  __holdfast_field "$__holdfast_my_line" stepId __holdfast_step
  __holdfast_field "$__holdfast_my_line" number __holdfast_number
  __holdfast_field "$__holdfast_my_line" nonce __holdfast_nonce
  __holdfast_field "$__holdfast_my_line" streams __holdfast_my_streams
  __holdfast_field "$__holdfast_my_line" stdin __holdfast_my_stdin
  if [[ $__holdfast_writer && ($__holdfast_traps == *CHLD* || ${__holdfast_my_texts[0]} == *trap* || $(\builtin declare -f) == *trap*) ]]; then __holdfast_await_writer; fi
  if [[ $__holdfast_my_streams ]]; then __holdfast_replace_streams "$__holdfast_my_streams"; fi
  if [[ $__holdfast_my_stdin == true ]]; then __holdfast_allow_input; fi
  __holdfast_set_environment "${__holdfast_my_texts[@]:1}" 2>/dev/null
  __holdfast_prepare_code "${__holdfast_my_texts[0]}"
}

# Prepares code $1 to run as a step.
__holdfast_prepare_code() {
  __holdfast_source=$1 __holdfast_left='' __holdfast_exit_code='' __holdfast_exits=''
  if __holdfast_matches "$__holdfast_source" "$__holdfast_sets_errtrace"; then __holdfast_traces+=E; fi
  __holdfast_guard "$__holdfast_source"
  __holdfast_choose_watch "$__holdfast_source"
  __holdfast_note_code "$__holdfast_source"
  __holdfast_define_exit
  if __holdfast_is_complete "$__holdfast_source"; then
    __holdfast_code=$__holdfast_prefix$__holdfast_source$__holdfast_suffix$__holdfast_guarded$__holdfast_suffix_end
  else
    __holdfast_code=$__holdfast_prefix$__holdfast_nested
  fi
}

# Whether bash can parse code $1 and nothing that follows it would become a part of it, as behind a pipe, a loop's list or an open quote.
# Before this runs any command of the code, it returns. A here-document in a substitution that does not end can end the shell that
# parses it, with an abort or without (bash 5.2), so a subshell parses such code first.
__holdfast_is_complete() {
  if [[ $1 == *[\(\`]*'<<'* ]]; then
    { (builtin eval $'{ \\builtin return 0\n'"$1"$'\n}') || return 1; } 2>/dev/null
  fi
  builtin eval $'{ \\builtin return 0\n'"$1"$'\n}' 2>/dev/null
}

# The kernel's last command before the step's code, which sees `$?` and `$_` as the step before has left them.
__holdfast_enter() {
  __holdfast_left=''
  # Not assignments: to a name that is read-only, one ends the line.
  builtin printf -v PS0 %s "${__holdfast_prompt_settings[0]-}"
  builtin printf -v PS1 %s "${__holdfast_prompt_settings[1]-}"
  if [[ ${__holdfast_prompt_settings[2]-} ]]; then builtin printf -v TMOUT %s "${__holdfast_prompt_settings[2]}"; fi
  builtin trap - INT
  # The agent sends no signal before this message: in the middle of the line above, a signal would end the shell.
  __holdfast_send "{\"type\":\"begun\",\"number\":$__holdfast_number}"
  if [[ $__holdfast_replaying ]]; then __holdfast_watches=''; fi
  __holdfast_set_traps
  if [[ $__holdfast_options$__holdfast_traces ]]; then builtin set "-$__holdfast_options$__holdfast_traces"; fi
  if [[ $__holdfast_watches ]]; then __holdfast_watch_commands; fi
  if [[ ${__holdfast_prompt_settings[3]-} ]]; then builtin printf -v FUNCNEST %s "${__holdfast_prompt_settings[3]}"; fi
  if [[ $__holdfast_aside ]]; then __holdfast_bring_aside; fi
  builtin return "$__holdfast_status"
}
