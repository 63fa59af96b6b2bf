# One turn of the kernel: end the step that an interrupt has left, wait for the next, run it, end it.
#
# A step's code runs in no function, so that `declare` means there what it means at a prompt (turn.bash). What stands around it
# reads and sets options and traps at its side; what these would show of that is hidden.

# Takes the step's traps and tracing, and `$?` and `$_` as its last command has left them. Where they would act on what the
# shell does for us, they wait for the next step.
readonly __holdfast_leave='__holdfast_status=$? __holdfast_last=$_; __holdfast_traps=$(\builtin trap -p INT CHLD DEBUG ERR RETURN); '\
'\builtin trap "" INT; \builtin trap - CHLD DEBUG ERR RETURN; __holdfast_options=${-//[!kxv]/}; \builtin set +kxv; __holdfast_left=1; '

# Does so where the step's code has not come to its end: for an error of syntax, or for a jump out of it, as by SIGINT.
# An interrupt jumps only where INT has no trap, so that further ones can be ignored at once.
readonly __holdfast_leave_late='{ __holdfast_jump=$? __holdfast_jump_last=$_; if [[ $__holdfast_step && ! $__holdfast_left ]]; then '\
'if ((__holdfast_jump == 130)); then \builtin trap "" INT; fi; '"$__holdfast_leave"\
'if ((__holdfast_jump == 130)); then __holdfast_traps=${__holdfast_traps/"$__holdfast_ignored"/}; fi; '\
'__holdfast_status=$__holdfast_jump __holdfast_last=$__holdfast_jump_last __holdfast_left=late; fi; } >/dev/null 2>&1; '

# What the step's code begins with, on its own first line, and ends with where it cannot be mistaken for a part of it.
readonly __holdfast_prefix='{ __holdfast_enter "$__holdfast_last"; } >/dev/null 2>&1; '
readonly __holdfast_suffix=$'\n{ '"$__holdfast_leave} >/dev/null 2>&1"

readonly __holdfast_ignored="trap -- '' SIGINT"
__holdfast_step='' __holdfast_left='' __holdfast_environment=()

# Ends a step that was left by a jump, and answers requests until the next comes, which it leaves in our variables.
__holdfast_next() {
  local - line texts
  builtin set +aefnuCETk +o posix
  if [[ $__holdfast_step ]]; then __holdfast_end_step; fi
  while __holdfast_receive; do
    case $line in
      '{"type":"execute",'*)
        __holdfast_prepare
        return 0
        ;;
      '{"type":"symbols",'* | '{"type":"complete",'* | '{"type":"inspect",'*)
        (builtin source "$__holdfast_home/answer.bash") </dev/null >/dev/null 2>&1
        ;;
    esac
  done
  # The agent is gone. Not `exit`, which would run the user's trap.
  builtin kill -KILL "$__holdfast_pid"
}

# Its texts are the code and then, each with its value, the variables for this step.
__holdfast_prepare() {
  local stdin streams
  __holdfast_field "$line" stepId __holdfast_step
  __holdfast_field "$line" number __holdfast_number
  __holdfast_field "$line" nonce __holdfast_nonce
  __holdfast_field "$line" streams streams
  __holdfast_field "$line" stdin stdin
  if [[ $streams ]]; then __holdfast_replace_streams "$streams"; fi
  if [[ $stdin == true ]]; then __holdfast_allow_input; fi
  __holdfast_set_environment "${texts[@]:1}" 2>/dev/null
  __holdfast_source=${texts[0]} __holdfast_left=''
  __holdfast_code=$__holdfast_prefix$__holdfast_source
  # A here-document without end and a backslash at the end would swallow the suffix.
  if [[ $__holdfast_source != *'<<'* && $__holdfast_source != *\\ ]]; then __holdfast_code+=$__holdfast_suffix; fi
}

# The last of ours before the step's code, which sees `$?` and `$_` as the step before has left them.
__holdfast_enter() {
  __holdfast_left=''
  PS0=${__holdfast_kept[0]-} PS1=${__holdfast_kept[1]-}
  if [[ ${__holdfast_kept[2]-} ]]; then TMOUT=${__holdfast_kept[2]}; fi
  builtin trap - INT
  # Until this is said no signal comes: in the middle of the line above it would end the shell.
  __holdfast_send "{\"type\":\"begun\",\"number\":$__holdfast_number}"
  builtin eval "$__holdfast_traps"
  if [[ $__holdfast_options ]]; then builtin set "-$__holdfast_options"; fi
  # A status other than 0 would end the shell under -e, and set off a trap on ERR.
  if [[ $- != *e* && $__holdfast_traps != *' ERR'* ]]; then return "$__holdfast_status"; fi
}

__holdfast_end_step() {
  local - status=succeeded late=''
  builtin set +aefnuCETk +o posix
  # These act on what the shell reads as commands, which is ours.
  __holdfast_kept=("${PS0-}" "${PS1-}" "${TMOUT-}")
  PS0='' PS1=''
  builtin unset -v TMOUT
  __holdfast_put_environment_back 2>/dev/null
  __holdfast_disallow_input 2>/dev/null
  __holdfast_refill
  if [[ $__holdfast_left == late || $__holdfast_status == 130 ]] && __holdfast_has_interrupt "$__holdfast_number"; then
    __holdfast_status=130 __holdfast_left=late
  fi
  if ((__holdfast_status != 0)); then __holdfast_fail; fi
  __holdfast_restore_streams
  __holdfast_mark_streams "$__holdfast_nonce"
  if __holdfast_has_children; then late=',"late":true'; fi
  __holdfast_send "{\"type\":\"done\",\"stepId\":\"$__holdfast_step\",\"status\":\"$status\"$late}"
  __holdfast_note_definitions "$__holdfast_step" "$__holdfast_source"
  __holdfast_step=''
  return 0
}

# Sets the status and sends the error of a step whose last command has failed.
__holdfast_fail() {
  local name=ExitStatus message="exit status $__holdfast_status"
  status=failed
  if ((__holdfast_status == 130)) && [[ $__holdfast_left == late ]]; then
    status=interrupted name=Interrupt message='the step was interrupted'
  elif ((__holdfast_status == 2)) && [[ $__holdfast_left == late ]]; then
    __holdfast_describe_syntax
  fi
  __holdfast_json message "$message"
  __holdfast_send "{\"type\":\"error\",\"stepId\":\"$__holdfast_step\",\"name\":\"$name\",\"message\":$message,\"traceback\":[\"<step $__holdfast_number>: $name\"]}"
}

# Asks a bash that only reads the code; its words are `bash: line 2: syntax error ...`.
__holdfast_describe_syntax() {
  local words
  words=$("$BASH" --norc -n <<<"$__holdfast_source" 2>&1)
  if [[ $words == *': line '* && $words != *': warning: '* ]]; then
    name=SyntaxError message=${words%%$'\n'*}
    message=${message#*: }
  fi
}
