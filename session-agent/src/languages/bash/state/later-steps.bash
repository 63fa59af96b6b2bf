# Goes through the steps that ran after the snapshot: runs again what may run again, evaluates what is plain, and takes away the names that
# the others may have changed.

# Succeeds if `__holdfast_code` is to run now: a step that runs again.
__holdfast_go_through_steps() {
  local __holdfast_id_now __holdfast_status_now __holdfast_again __holdfast_text
  while ((__holdfast_next_step < ${#__holdfast_later[@]})); do
    __holdfast_text=${__holdfast_later[__holdfast_next_step]}
    __holdfast_again=${__holdfast_text##* } __holdfast_id_now=${__holdfast_text%% *}
    __holdfast_status_now=${__holdfast_text#* }
    __holdfast_status_now=${__holdfast_status_now% *}
    __holdfast_reason="step $__holdfast_id_now ran after the snapshot and may have changed it"
    __holdfast_text=$(builtin printf x; builtin mapfile -d '' __holdfast_whole <"$__holdfast_path/code-$((__holdfast_next_step + 1))"; builtin printf '%sx' "${__holdfast_whole[0]-}")
    __holdfast_text=${__holdfast_text#x}
    __holdfast_text=${__holdfast_text%x}
    if [[ $__holdfast_again == 1 && ! $__holdfast_stopped ]]; then
      if __holdfast_run_again; then return 0; fi
    else
      __holdfast_take_step "$__holdfast_text"
    fi
    ((__holdfast_next_step += 1))
  done
  return 1
}

# Begins to run the step again, and looks at its end when the loop comes back here.
__holdfast_run_again() {
  if [[ $__holdfast_replaying ]]; then
    local __holdfast_ended=$__holdfast_replaying
    __holdfast_replaying=''
    __holdfast_step=''
    builtin printf '' >|"$__holdfast_path/running"
    local __holdfast_refusal=''
    if [[ -s $__holdfast_path/refused ]]; then __holdfast_refusal=$(<"$__holdfast_path/refused"); fi
    if [[ ! $__holdfast_refusal && $__holdfast_ended == "$__holdfast_status_now" && $__holdfast_watched_names == known ]]; then
      __holdfast_note_replayed
      return 1
    fi
    __holdfast_stop "${__holdfast_refusal:-the step ended as $__holdfast_status_now, and now as $__holdfast_ended}"
    # A name that the step has made read-only can neither be trusted nor removed, so the context ends.
    if [[ $(__holdfast_count_fixed <<<"$(builtin declare -p; builtin declare -F)") != "$__holdfast_fixed" ]]; then builtin kill -KILL "$__holdfast_pid"; fi
    __holdfast_lose_everything 'a step that ran again did not end as before'
    return 1
  fi
  if [[ $__holdfast_meaning != known || $__holdfast_shadows ]] || ((${#__holdfast_lost[@]})); then
    __holdfast_stop 'the step may look for names that are lost'
    __holdfast_take_step "$__holdfast_text"
    return 1
  fi
  if [[ $__holdfast_text == *@(exit|exec|kill)* ]]; then
    __holdfast_stop 'the step could end the shell'
    __holdfast_take_step "$__holdfast_text"
    return 1
  fi
  if [[ ! $__holdfast_has_options ]] && __holdfast_take_deferred; then
    __holdfast_has_options=x
    return 0
  fi
  __holdfast_has_options=''
  builtin printf '%s' "$__holdfast_id_now" >|"$__holdfast_path/running"
  builtin mapfile -t __holdfast_before <<<"$(builtin declare -p)"
  __holdfast_fixed=$(__holdfast_count_fixed <<<"$(builtin declare -p; builtin declare -F)")
  __holdfast_watched_names=known __holdfast_step=$__holdfast_id_now __holdfast_number=0 __holdfast_replaying=running
  __holdfast_prepare_code "$__holdfast_text"
  __holdfast_code="{ ${__holdfast_code}"$'\n} >/dev/null 2>&1'
  return 0
}

# Prints how many of the declarations in its input are read-only.
__holdfast_count_fixed() {
  local __holdfast_array __holdfast_line __holdfast_count=0
  builtin mapfile -t __holdfast_array
  for __holdfast_line in "${__holdfast_array[@]}"; do
    if [[ $__holdfast_line == 'declare -'*([^ ])r*([^ ])' '* && $__holdfast_line != *' __holdfast'* ]]; then ((__holdfast_count += 1)); fi
  done
  builtin printf '%s' "$__holdfast_count"
}

__holdfast_stop() {
  local __holdfast_why
  __holdfast_json __holdfast_why "$1"
  __holdfast_stopped="{\"stepId\":\"$__holdfast_id_now\",\"reason\":$__holdfast_why}"
}

# Notes the names that a step that ran again has set or removed.
__holdfast_note_replayed() {
  local __holdfast_line __holdfast_array __holdfast_each
  local -A __holdfast_earlier=() __holdfast_there=()
  for __holdfast_line in "${__holdfast_before[@]}"; do __holdfast_earlier["l$__holdfast_line"]=1; done
  builtin mapfile -t __holdfast_array <<<"$(builtin declare -p)"
  for __holdfast_line in "${__holdfast_array[@]}"; do
    __holdfast_each=${__holdfast_line#declare -* }
    __holdfast_each=${__holdfast_each%%=*}
    if [[ $__holdfast_each == $__holdfast_computed || $__holdfast_each == @(-|OPTIND|BASH_REMATCH) ]]; then continue; fi
    __holdfast_there[$__holdfast_each]=1
    if [[ ! ${__holdfast_earlier["l$__holdfast_line"]-} ]]; then __holdfast_have "$__holdfast_each"; fi
  done
  builtin mapfile -t __holdfast_array <<<"$(builtin compgen -A function)"
  for __holdfast_each in "${__holdfast_array[@]}"; do
    __holdfast_there["$__holdfast_each()"]=1
    if [[ $__holdfast_each != @(__holdfast*|exit) && ($__holdfast_text == *"$__holdfast_each"* || ! ${__holdfast_from["$__holdfast_each()"]-}) ]]; then
      __holdfast_have "$__holdfast_each()"
    fi
  done
  for __holdfast_each in "${!__holdfast_from[@]}"; do
    if [[ $__holdfast_each != *[!a-zA-Z0-9_]* || $__holdfast_each == *'()' ]] && [[ ! ${__holdfast_there[$__holdfast_each]-} ]]; then
      builtin unset -v '__holdfast_from[$__holdfast_each]'
    fi
  done
}

# Takes step $1, which does not run again as a whole. Each chunk of lines that bash reads together is judged by itself.
__holdfast_take_step() {
  local __holdfast_line __holdfast_chunk='' __holdfast_array __holdfast_mode=evaluate
  if [[ $__holdfast_status_now != succeeded ]]; then __holdfast_mode=lose; fi
  if [[ $__holdfast_meaning != known ]]; then
    __holdfast_lose_everything 'a step that can change any name ran after the snapshot'
    return
  fi
  builtin mapfile -t __holdfast_array <<<"$1"
  for __holdfast_line in "${__holdfast_array[@]}"; do
    __holdfast_chunk+=${__holdfast_chunk:+$'\n'}$__holdfast_line
    if ! __holdfast_is_complete "$__holdfast_chunk"; then continue; fi
    __holdfast_take_chunk "$__holdfast_chunk"
    __holdfast_chunk=''
    if [[ $__holdfast_meaning != known ]]; then return; fi
  done
  # A step that bash cannot parse has run up to that place.
  if [[ $__holdfast_chunk ]]; then
    if [[ $__holdfast_status_now == succeeded ]]; then __holdfast_lose_everything 'a step that cannot be read ran after the snapshot'; fi
  fi
}

__holdfast_take_chunk() {
  if ! __holdfast_words_are_plain || __holdfast_has_alias "$1" || ! __holdfast_lose_to_traps; then
    __holdfast_lose_everything "step $__holdfast_id_now ran after the snapshot, and traps, aliases, references or options can change what its words mean"
  elif ! __holdfast_take_definition "$1" && ! __holdfast_take_commands "$1"; then
    __holdfast_lose_everything "step $__holdfast_id_now ran after the snapshot and can have changed any name"
  elif ! __holdfast_lose_to_traps; then
    __holdfast_lose_everything "step $__holdfast_id_now ran after the snapshot and set a trap that can change any name"
  fi
}

# Whether nothing of the shell's state changes what a word of code means.
__holdfast_words_are_plain() {
  if [[ $__holdfast_shadows$__holdfast_traps$__holdfast_user_err$__holdfast_options ]]; then return 1; fi
  if [[ ${__holdfast_lost[IFS]-} ]]; then return 1; fi
  local __holdfast_settings
  builtin printf -v __holdfast_settings '%s ' "${__holdfast_deferred[@]}"
  if [[ "$__holdfast_flags$BASHOPTS$__holdfast_settings" == *@(posix|allexport|lastpipe|autocd|cdspell|cdable_vars|physical|keyword|noexec|compat|localvar|enable|array_expand|assoc_expand)* ]]; then return 1; fi
}

# Defines a function again if the chunk is nothing else.
__holdfast_take_definition() {
  local __holdfast_printed __holdfast_array __holdfast_line __holdfast_at_line __holdfast_name __holdfast_body
  if ! __holdfast_matches "$1" $'^[ \t]*(function[ \t]+)?[][a-zA-Z0-9_.:@+-]+[ \t]*(\\(\\))?[ \t\n]*[{(]'; then return 1; fi
  __holdfast_printed=$(builtin eval $'__holdfast_probe() {\n'"$1"$'\n}' 2>/dev/null && builtin declare -f __holdfast_probe)
  builtin mapfile -t __holdfast_array <<<"$__holdfast_printed"
  if ((${#__holdfast_array[@]} < 6)); then return 1; fi
  __holdfast_name=${__holdfast_array[2]#    }
  __holdfast_name=${__holdfast_name#function }
  if [[ $__holdfast_name != *' () ' || ${__holdfast_array[3]} != '    { ' || ${__holdfast_array[-2]} != '    }' ]]; then return 1; fi
  for __holdfast_line in "${__holdfast_array[@]:4:${#__holdfast_array[@]}-6}"; do
    if [[ $__holdfast_line == '    }'* ]]; then return 1; fi
  done
  __holdfast_name=${__holdfast_name%' () '}
  if [[ $__holdfast_name == *[!a-zA-Z0-9_.:@+-]* || $__holdfast_name == __holdfast* || $__holdfast_name == @(exit|read) ]]; then return 1; fi
  if [[ $(builtin type -t -- "$__holdfast_name") == @(builtin|keyword) && $__holdfast_name != @(echo|printf|test|pwd|cd) ]]; then return 1; fi
  if __holdfast_is_fixed "$__holdfast_name()"; then return 1; fi
  if [[ $__holdfast_mode == evaluate ]]; then
    builtin eval "$1"
    __holdfast_have "$__holdfast_name()"
  else
    __holdfast_lose "$__holdfast_name()" "$__holdfast_reason"
  fi
}
