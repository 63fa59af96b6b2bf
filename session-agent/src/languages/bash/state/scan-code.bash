# Reads a chunk of code command by command. It refuses all that it does not know, and then the code counts as able to change any name.

# Takes the commands of chunk $1. Fails if they may have changed names that cannot be told. A chunk of more than one command may have
# run in part or many times, so each of the names that it sets is lost, unless its commands stand one after the other.
__holdfast_take_commands() {
  __holdfast_sets=() __holdfast_counted=() __holdfast_texts_set=() __holdfast_numbers_set=() __holdfast_visited=' ' __holdfast_plans=()
  local -A __holdfast_declares=() __holdfast_attributes_given=()
  local __holdfast_plain=x __holdfast_inside=''
  if ((${#1} > 20000)); then return 1; fi
  __holdfast_scan "$1" || return 1
  __holdfast_check_counted || return 1
  if [[ $__holdfast_mode == evaluate && $__holdfast_plain ]]; then
    __holdfast_evaluate_plans
  else
    local __holdfast_each
    for __holdfast_each in "${__holdfast_sets[@]}"; do __holdfast_lose_set "$__holdfast_each"; done
  fi
}

# Loses name $1, which the commands may have set. If it is a number whatever happened, arithmetic may still use it.
__holdfast_lose_set() {
  local __holdfast_is_number=''
  if ! __holdfast_is_among "$1" "${__holdfast_texts_set[@]}" && __holdfast_is_among "$1" "${__holdfast_numbers_set[@]}"; then
    if [[ ${__holdfast_lost[$1]-} ]]; then
      __holdfast_is_number=${__holdfast_numbers_lost[$1]-}
    elif [[ ${!1-} =~ ^-?[0-9]*$ ]]; then
      __holdfast_is_number=x
    fi
  fi
  __holdfast_numbers_lost[$1]=$__holdfast_is_number
  if [[ ${__holdfast_attributes_given[$1]-} ]]; then __holdfast_attributes_lost[$1]=x; fi
  __holdfast_lose "$1" "$__holdfast_reason"
}

# Whether name $1 is among the others.
__holdfast_is_among() {
  local __holdfast_one
  for __holdfast_one in "${@:2}"; do
    if [[ $__holdfast_one == "$1" ]]; then return 0; fi
  done
  return 1
}

# Arithmetic evaluates the text of a variable in turn, which can set others. Numbers cannot.
__holdfast_check_counted() {
  local __holdfast_each
  for __holdfast_each in "${__holdfast_counted[@]}"; do
    if __holdfast_is_among "$__holdfast_each" "${__holdfast_texts_set[@]}"; then return 1; fi
    if [[ ${__holdfast_lost[$__holdfast_each]-} ]]; then
      if [[ ! ${__holdfast_numbers_lost[$__holdfast_each]-} ]]; then return 1; fi
    elif [[ ! ${!__holdfast_each-} =~ ^-?[0-9]*$ ]]; then
      return 1
    fi
  done
}

# Evaluates the commands in order. One that fails now, or reads what is lost, loses what it sets.
__holdfast_evaluate_plans() {
  local - __holdfast_aim __holdfast_plan __holdfast_name __holdfast_reads __holdfast_run __holdfast_each __holdfast_fields
  # A question mark before a name is not a pattern here.
  builtin set -f
  for __holdfast_plan in "${__holdfast_plans[@]}"; do
    builtin eval "__holdfast_fields=($__holdfast_plan)"
    __holdfast_name=${__holdfast_fields[0]} __holdfast_reads=${__holdfast_fields[1]} __holdfast_run=${__holdfast_fields[2]}
    if [[ $__holdfast_name == '()' ]]; then continue; fi
    builtin eval "__holdfast_fields=($__holdfast_reads)"
    for __holdfast_each in "${__holdfast_fields[@]}"; do
      # A name with a question mark may be new, too.
      if [[ $__holdfast_each == '?'* && ! ${__holdfast_lost[${__holdfast_each#?}]-} && ! $(builtin declare -p "${__holdfast_each#?}" 2>/dev/null) ]]; then continue; fi
      __holdfast_each=${__holdfast_each#'?'}
      # Only what steps have set: the new sandbox has an environment of its own. A reference stands for the name behind it.
      if [[ ${__holdfast_from[$__holdfast_each]-} != @(restored|replayed) ]]; then __holdfast_run=''; fi
      while [[ $__holdfast_each ]] && __holdfast_is_reference "$__holdfast_each"; do
        __holdfast_each=$__holdfast_aim
        if [[ ! $__holdfast_each || ${__holdfast_from[$__holdfast_each]-} != @(restored|replayed) ]]; then __holdfast_run='' __holdfast_each=''; fi
      done
    done
    # A new value says nothing of the attributes that a lost name had, such as `export`.
    if [[ ${__holdfast_attributes_lost[$__holdfast_name]-} && $__holdfast_run != 'builtin unset '* ]]; then __holdfast_run=''; fi
    if [[ $__holdfast_run ]] && (builtin eval "$__holdfast_run") >/dev/null 2>&1; then
      builtin eval "$__holdfast_run"
      case $__holdfast_run in
        'builtin un'* | 'builtin trap - '* | __holdfast_user_exit=)
          builtin unset -v '__holdfast_from[$__holdfast_name]' '__holdfast_lost[$__holdfast_name]' '__holdfast_attributes_lost[$__holdfast_name]'
          ;;
        *) __holdfast_have "$__holdfast_name" ;;
      esac
    else
      __holdfast_lose_set "$__holdfast_name"
    fi
  done
}

# Reads the text $1 to its end, and judges each command.
__holdfast_scan() {
  local __holdfast_rest=$1 __holdfast_list=() __holdfast_kinds_of=() __holdfast_read_by=() __holdfast_word __holdfast_kind __holdfast_names_read
  local __holdfast_cases=0 __holdfast_loops=0 __holdfast_documents=() __holdfast_in_pattern=''
  __holdfast_scan_commands ''
}

# Reads commands up to the end of the text, or to the closing parenthesis $1.
__holdfast_scan_commands() {
  while [[ $__holdfast_rest ]]; do
    case $__holdfast_rest in
      [[:blank:]]*) __holdfast_rest=${__holdfast_rest:1} ;;
      '\'$'\n'*) __holdfast_rest=${__holdfast_rest:2} ;;
      '#'*)
        if [[ $__holdfast_rest != *$'\n'* ]]; then __holdfast_rest=''; fi
        __holdfast_rest=${__holdfast_rest#"${__holdfast_rest%%$'\n'*}"}
        ;;
      ')'*)
        if [[ ! $1 || $__holdfast_cases != 0 || ${#__holdfast_documents[@]} != 0 ]]; then return 1; fi
        __holdfast_rest=${__holdfast_rest:1}
        __holdfast_judge
        return
        ;;
      ';;'* | ';&'*)
        if ((!__holdfast_cases)); then return 1; fi
        __holdfast_rest=${__holdfast_rest#';'}
        __holdfast_rest=${__holdfast_rest#';'}
        __holdfast_rest=${__holdfast_rest#'&'}
        __holdfast_judge && __holdfast_take_patterns || return 1
        ;;
      '|&'* | '&>'*'('* | '>('*) return 1 ;;
      '<<'[!\<]*) __holdfast_take_delimiter || return 1 ;;
      '<('*)
        __holdfast_plain='' __holdfast_rest=${__holdfast_rest:1}
        __holdfast_take_subshell || return 1
        __holdfast_list+=(x) __holdfast_kinds_of+=(d) __holdfast_read_by+=('')
        ;;
      '&&'* | '||'*)
        __holdfast_plain='' __holdfast_rest=${__holdfast_rest:2}
        __holdfast_judge || return 1
        ;;
      '&>'*) __holdfast_take_target '&>' || return 1 ;;
      '&'*)
        # It runs in another process.
        __holdfast_plain='' __holdfast_rest=${__holdfast_rest:1}
        __holdfast_sets+=('$!')
        __holdfast_judge || return 1
        ;;
      '|'*)
        __holdfast_plain='' __holdfast_rest=${__holdfast_rest:1}
        __holdfast_judge || return 1
        ;;
      ';'*)
        __holdfast_rest=${__holdfast_rest:1}
        __holdfast_judge || return 1
        ;;
      $'\n'*)
        __holdfast_rest=${__holdfast_rest:1}
        __holdfast_judge && __holdfast_take_documents || return 1
        ;;
      '>&'* | '<&'*) __holdfast_take_target "${__holdfast_rest:0:2}" || return 1 ;;
      '<<<'* | '&>>'*) __holdfast_take_target "${__holdfast_rest:0:3}" || return 1 ;;
      '>>'* | '>|'* ) __holdfast_take_target "${__holdfast_rest:0:2}" || return 1 ;;
      '>'* | '<'[!\>]*) __holdfast_take_target "${__holdfast_rest:0:1}" || return 1 ;;
      '(('*)
        if ((${#__holdfast_list[@]})) || ! __holdfast_matches "$__holdfast_rest" '^\(\([^()]*\)\)[[:space:];&|]|^\(\([^()]*\)\)$'; then return 1; fi
        __holdfast_word=${__holdfast_rest#'(('}
        __holdfast_word=${__holdfast_word%%'))'*}
        __holdfast_rest=${__holdfast_rest#*'))'}
        __holdfast_judge_arithmetic "$__holdfast_word" || return 1
        ;;
      '('*)
        __holdfast_is_reserved ${#__holdfast_list[@]} || return 1
        __holdfast_plain=''
        __holdfast_take_subshell || return 1
        ;;
      *)
        __holdfast_take_word || return 1
        # The number of a descriptor.
        if [[ $__holdfast_rest == [\<\>]* && $__holdfast_word != *[!0-9]* ]]; then continue; fi
        __holdfast_list+=("$__holdfast_word") __holdfast_kinds_of+=("$__holdfast_kind") __holdfast_read_by+=("$__holdfast_names_read")
        if __holdfast_begins_case; then
          ((__holdfast_cases += 1))
          __holdfast_take_patterns || return 1
        fi
        ;;
    esac
  done
  if [[ $1 ]]; then return 1; fi
  __holdfast_judge && [[ $__holdfast_cases == 0 && ${#__holdfast_documents[@]} == 0 ]]
}

# Takes redirection $1 and its target. A command's own redirections change no name; `{name}>` would.
__holdfast_take_target() {
  __holdfast_rest=${__holdfast_rest#"$1"}
  if ((${#__holdfast_list[@]})) && [[ ${__holdfast_list[-1]} == '{'* ]]; then return 1; fi
  __holdfast_plain=''
  __holdfast_skip_blanks
  if [[ $__holdfast_rest == '<('* && $1 == '<' ]]; then
    __holdfast_rest=${__holdfast_rest:1}
    __holdfast_take_subshell
    return
  fi
  __holdfast_take_word
}
