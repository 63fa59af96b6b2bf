# Ends a step: puts the shell's own state back, marks the end of the streams, and sends the messages that end the step.

__holdfast_end_step() {
  # A snapshot or a recovery is none.
  if [[ ! $__holdfast_step ]]; then return; fi
  local - __holdfast_my_status=succeeded __holdfast_my_exit_code __holdfast_my_late='' __holdfast_my_usage=''
  builtin set +aefnuCETk +o posix
  # These act on the commands that the shell reads, which are the kernel's.
  __holdfast_prompt_settings=("${PS0-}" "${PS1-}" "${TMOUT-}" "${FUNCNEST-}")
  builtin printf -v PS0 %s ''
  builtin printf -v PS1 %s ''
  builtin unset -v TMOUT FUNCNEST
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
  __holdfast_my_exit_code=$__holdfast_status
  if ((__holdfast_status != 0)); then
    if __holdfast_is_blank "$__holdfast_source"; then __holdfast_my_exit_code=0; else __holdfast_fail; fi
  fi
  if __holdfast_has_children; then __holdfast_my_late=',"late":true'; fi
  __holdfast_measure
  __holdfast_send "{\"type\":\"done\",\"stepId\":\"$__holdfast_step\",\"status\":\"$__holdfast_my_status\",\"exitCode\":$__holdfast_my_exit_code$__holdfast_my_usage$__holdfast_my_late}"
  __holdfast_note_definitions "$__holdfast_step" "$__holdfast_source"
  if [[ $__holdfast_replaying ]]; then __holdfast_replaying=$__holdfast_my_status; fi
  __holdfast_step=''
  return 0
}

# Describes the use of CPU, in ticks of 10 ms since the step before (proc(5), fields 14 to 17), and the highest resident set so far.
__holdfast_measure() {
  local __holdfast_my_line __holdfast_my_word __holdfast_my_words __holdfast_my_ticks
  { builtin read -r __holdfast_my_line <"/proc/$__holdfast_pid/stat" && builtin mapfile -t -n 40 __holdfast_my_words <"/proc/$__holdfast_pid/status"; } 2>/dev/null || return 0
  for __holdfast_my_word in "${__holdfast_my_words[@]}"; do if [[ $__holdfast_my_word == VmHWM:* ]]; then break; fi; done
  # Taken apart by itself, because the user's separators of words can be read-only.
  builtin mapfile -t -d ' ' __holdfast_my_words <<<"${__holdfast_my_line##*) }"
  __holdfast_my_ticks=$((__holdfast_my_words[11] + __holdfast_my_words[12] + __holdfast_my_words[13] + __holdfast_my_words[14]))
  __holdfast_my_word=${__holdfast_my_word//[!0-9]/}
  __holdfast_my_usage=",\"cpuMs\":$(((__holdfast_my_ticks - __holdfast_ticks) * 10)),\"memoryKb\":${__holdfast_my_word:-0}"
  __holdfast_ticks=$__holdfast_my_ticks
}

# Whether code $1 is nothing but blank lines and comments. Such a step changes no `$?`, and succeeds whatever it is.
__holdfast_is_blank() {
  local __holdfast_my_line
  while IFS= builtin read -r __holdfast_my_line || [[ $__holdfast_my_line ]]; do
    __holdfast_my_line=${__holdfast_my_line#"${__holdfast_my_line%%[![:space:]]*}"}
    if [[ $__holdfast_my_line && $__holdfast_my_line != '#'* ]]; then return 1; fi
  done <<<"$1"
  return 0
}

# Sets the status and sends the error of a step whose last command has failed.
__holdfast_fail() {
  local __holdfast_my_name=ExitStatus __holdfast_my_message="exit status $__holdfast_status"
  __holdfast_my_status=failed
  if [[ $__holdfast_exit_code ]]; then
    __holdfast_my_name=exit __holdfast_my_message=$__holdfast_exit_code
  elif ((__holdfast_status == 130)) && [[ $__holdfast_left == late ]]; then
    __holdfast_my_status=interrupted __holdfast_my_name=Interrupt __holdfast_my_message='the step was interrupted'
  elif ((__holdfast_status == 2)) && [[ $__holdfast_left == late ]]; then
    __holdfast_describe_syntax
  fi
  __holdfast_json __holdfast_my_message "$__holdfast_my_message"
  __holdfast_send "{\"type\":\"error\",\"stepId\":\"$__holdfast_step\",\"name\":\"$__holdfast_my_name\",\"message\":$__holdfast_my_message,\"traceback\":[\"<step $__holdfast_number>: $__holdfast_my_name\"]}"
}

# Gets the error from a bash that only parses the code; its message is `bash: line 2: syntax error ...`.
__holdfast_describe_syntax() {
  local __holdfast_my_words
  __holdfast_my_words=$("$BASH" --norc -n <<<"$__holdfast_source" 2>&1)
  if [[ $__holdfast_my_words == *': line '* && $__holdfast_my_words != *': warning: '* ]]; then
    __holdfast_my_name=SyntaxError __holdfast_my_message=${__holdfast_my_words%%$'\n'*}
    __holdfast_my_message=${__holdfast_my_message#*: }
  fi
}
