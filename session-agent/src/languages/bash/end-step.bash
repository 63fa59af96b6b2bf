# Ends a step: puts the shell's own state back, marks the end of the streams, and sends the messages that end the step.

__holdfast_end_step() {
  # A snapshot or a recovery is none.
  if [[ ! $__holdfast_step ]]; then return; fi
  local - status=succeeded exit_code='' late=''
  builtin set +aefnuCETk +o posix
  # These act on the commands that the shell reads, which are the kernel's.
  __holdfast_prompt_settings=("${PS0-}" "${PS1-}" "${TMOUT-}")
  PS0='' PS1=''
  builtin unset -v TMOUT
  __holdfast_put_environment_back 2>/dev/null
  __holdfast_disallow_input 2>/dev/null
  __holdfast_refill
  __holdfast_sort_traps
  __holdfast_note_traces
  if [[ $__holdfast_exit_code ]]; then __holdfast_status=$__holdfast_exit_code; fi
  if [[ $__holdfast_left == late || $__holdfast_status == 130 ]] && __holdfast_has_interrupt "$__holdfast_number"; then
    __holdfast_status=130 __holdfast_left=late __holdfast_exit_code=''
  fi
  __holdfast_mark e
  if ((__holdfast_status != 0)) && ! __holdfast_is_blank "$__holdfast_source"; then __holdfast_fail; fi
  if [[ $__holdfast_exit_code ]]; then exit_code=",\"exitCode\":$__holdfast_exit_code"; fi
  if __holdfast_has_children; then late=',"late":true'; fi
  __holdfast_send "{\"type\":\"done\",\"stepId\":\"$__holdfast_step\",\"status\":\"$status\"$exit_code$late}"
  __holdfast_note_definitions "$__holdfast_step" "$__holdfast_source"
  if [[ $__holdfast_replaying ]]; then __holdfast_replaying=$status; fi
  __holdfast_step=''
  return 0
}

# Whether code $1 is nothing but blank lines and comments. Such a step changes no `$?`, and succeeds whatever it is.
__holdfast_is_blank() {
  local line
  while IFS= builtin read -r line || [[ $line ]]; do
    line=${line#"${line%%[![:space:]]*}"}
    if [[ $line && $line != '#'* ]]; then return 1; fi
  done <<<"$1"
  return 0
}

# Sets the status and sends the error of a step whose last command has failed.
__holdfast_fail() {
  local name=ExitStatus message="exit status $__holdfast_status"
  status=failed
  if [[ $__holdfast_exit_code ]]; then
    name=exit message=$__holdfast_exit_code
  elif ((__holdfast_status == 130)) && [[ $__holdfast_left == late ]]; then
    status=interrupted name=Interrupt message='the step was interrupted'
  elif ((__holdfast_status == 2)) && [[ $__holdfast_left == late ]]; then
    __holdfast_describe_syntax
  fi
  __holdfast_json message "$message"
  __holdfast_send "{\"type\":\"error\",\"stepId\":\"$__holdfast_step\",\"name\":\"$name\",\"message\":$message,\"traceback\":[\"<step $__holdfast_number>: $name\"]}"
}

# Gets the error from a bash that only parses the code; its message is `bash: line 2: syntax error ...`.
__holdfast_describe_syntax() {
  local words
  words=$("$BASH" --norc -n <<<"$__holdfast_source" 2>&1)
  if [[ $words == *': line '* && $words != *': warning: '* ]]; then
    name=SyntaxError message=${words%%$'\n'*}
    message=${message#*: }
  fi
}
