# Judges the builtins that set names (effects.bash).

# `[ -f x ]` and `[ a = b ]`: with the operator as it stands there, since others evaluate arithmetic.
__holdfast_judge_test() {
  local __holdfast_at_word __holdfast_operators=0
  for ((__holdfast_at_word = 1; __holdfast_at_word < ${#__holdfast_words_now[@]}; __holdfast_at_word++)); do
    case ${__holdfast_words_now[__holdfast_at_word]} in
      -[vR] | =~ | -a | -o) return 1 ;;
      -eq | -ne | -lt | -gt | -le | -ge) if [[ $__holdfast_first == '[[' ]]; then return 1; fi; __holdfast_operators=1 ;;
      -[zndefsrwx] | = | == | != | '<' | '>') __holdfast_operators=1 ;;
    esac
    if [[ $__holdfast_first != '[[' && ${__holdfast_kinds_now[__holdfast_at_word]} == *u* || ! ${__holdfast_kinds_now[__holdfast_at_word]} && ${__holdfast_reads_now[__holdfast_at_word]} && $__holdfast_first != '[[' ]]; then return 1; fi
  done
  if [[ $__holdfast_first == '[[' ]]; then [[ ${__holdfast_words_now[-1]} == ']]' ]]; else ((__holdfast_operators)); fi
}

# `printf -v name format words`
__holdfast_judge_printf() {
  local __holdfast_name=${__holdfast_words_now[2]-} __holdfast_format=${__holdfast_words_now[3]-} __holdfast_reads
  if [[ ! $__holdfast_name || $__holdfast_name == *[!a-zA-Z0-9_]* || $__holdfast_name == $__holdfast_touchy || ${__holdfast_declares[$__holdfast_name]-} == *i* ]]; then return 1; fi
  if [[ $__holdfast_format == -* || ${__holdfast_kinds_now[3]-} == *[dun]* || ${__holdfast_reads_now[3]-} ]] || __holdfast_matches "$__holdfast_format" '%[^a-zA-Z]*[a-zA-Z]*n|[(]'; then return 1; fi
  if [[ $(builtin declare -p "$__holdfast_name" 2>/dev/null) == 'declare -'*([^ ])[in]* ]]; then return 1; fi
  __holdfast_sets+=("$__holdfast_name") __holdfast_texts_set+=("$__holdfast_name")
  if __holdfast_has_kind '[dug]'; then
    __holdfast_plan_command "$__holdfast_name" '' ''
  else
    builtin printf -v __holdfast_format '%s ' "${__holdfast_words_now[@]}"
    builtin printf -v __holdfast_reads '%s ' "${__holdfast_reads_now[@]}"
    __holdfast_plan_command "$__holdfast_name" "$__holdfast_reads" "builtin $__holdfast_format"
  fi
}

# Whether a word has a kind that pattern $1 matches.
__holdfast_has_kind() {
  local __holdfast_each
  for __holdfast_each in "${__holdfast_kinds_now[@]}"; do
    if [[ $__holdfast_each == *$1* ]]; then return 0; fi
  done
  return 1
}

# `for name in words`
__holdfast_judge_for() {
  local __holdfast_name=${__holdfast_words_now[1]-} __holdfast_at_word
  __holdfast_plain=''
  if [[ ! $__holdfast_name || $__holdfast_name == *[!a-zA-Z0-9_]* || $__holdfast_name == $__holdfast_touchy ]]; then return 1; fi
  if [[ $(builtin declare -p "$__holdfast_name" 2>/dev/null) == 'declare -'*([^ ])[in]* ]]; then return 1; fi
  __holdfast_sets+=("$__holdfast_name")
  if [[ ${__holdfast_words_now[2]-} == in ]]; then
    for ((__holdfast_at_word = 3; __holdfast_at_word < ${#__holdfast_words_now[@]}; __holdfast_at_word++)); do
      if [[ ${__holdfast_words_now[__holdfast_at_word]} == *[!0-9{}.]* ]]; then break; fi
    done
    if ((__holdfast_at_word == ${#__holdfast_words_now[@]})); then
      __holdfast_numbers_set+=("$__holdfast_name")
      return 0
    fi
  fi
  __holdfast_texts_set+=("$__holdfast_name")
}

# `export`, `declare` and the like.
__holdfast_judge_declaration() {
  local __holdfast_at_word __holdfast_head=$__holdfast_first __holdfast_word_now __holdfast_all __holdfast_reads
  # All its words are expanded before the first of them is set.
  builtin printf -v __holdfast_all '%s ' "${__holdfast_words_now[@]}"
  builtin printf -v __holdfast_reads '%s ' "${__holdfast_reads_now[@]}"
  if [[ $__holdfast_all == *=*' '*=* && $__holdfast_reads == *[!\ ]* ]]; then __holdfast_plain=''; fi
  for ((__holdfast_at_word = 1; __holdfast_at_word < ${#__holdfast_words_now[@]}; __holdfast_at_word++)); do
    __holdfast_word_now=${__holdfast_words_now[__holdfast_at_word]}
    if [[ $__holdfast_word_now == -* ]]; then
      if ! __holdfast_matches "$__holdfast_word_now" '^-[aAxgrlui]+$'; then return 1; fi
      __holdfast_head+=" $__holdfast_word_now"
    elif __holdfast_matches "$__holdfast_word_now" "$__holdfast_re_assignment"; then
      if [[ $__holdfast_first == readonly || $__holdfast_head == *r* && $__holdfast_first != export && $__holdfast_head == *' -'*r* ]]; then
        # A name that is read-only cannot be taken away any more, so it must be sure.
        if [[ ${__holdfast_kinds_now[__holdfast_at_word]} == *[dgu]* ]]; then __holdfast_head='local'; fi
      fi
      __holdfast_note_attributes "${__holdfast_word_now%%[=+[]*}"
      __holdfast_judge_assignment "$__holdfast_at_word" "${__holdfast_head/#@(declare|typeset|local)/declare -g} " || return 1
    elif __holdfast_matches "$__holdfast_word_now" '^[a-zA-Z_][a-zA-Z0-9_]*$' && [[ $__holdfast_word_now != $__holdfast_touchy ]]; then
      if __holdfast_is_reference "$__holdfast_word_now"; then return 1; fi
      __holdfast_note_attributes "$__holdfast_word_now"
      __holdfast_declares[$__holdfast_word_now]+=${__holdfast_head//[!iA]/}
      __holdfast_sets+=("$__holdfast_word_now") __holdfast_texts_set+=("$__holdfast_word_now")
      __holdfast_plan_command "$__holdfast_word_now" "?$__holdfast_word_now" "${__holdfast_head/#@(declare|typeset|local)/declare -g} $__holdfast_word_now"
    else
      return 1
    fi
  done
}

# Notes that a declaration gives name $1 attributes, unless it is a local name of a function.
__holdfast_note_attributes() {
  if [[ ! $__holdfast_inside || $__holdfast_head == @(export|readonly)* || $__holdfast_head == *' -'*g* ]]; then
    __holdfast_attributes_given[$1]=x
  fi
}

__holdfast_judge_unset() {
  local __holdfast_at_word __holdfast_word_now __holdfast_ending=''
  for ((__holdfast_at_word = 1; __holdfast_at_word < ${#__holdfast_words_now[@]}; __holdfast_at_word++)); do
    __holdfast_word_now=${__holdfast_words_now[__holdfast_at_word]}
    case $__holdfast_word_now in
      -v) ;;
      -f) __holdfast_ending='()' ;;
      *[!a-zA-Z0-9_]* | [0-9]* | $__holdfast_touchy | PATH) return 1 ;;
      *)
        if __holdfast_is_reference "$__holdfast_word_now"; then return 1; fi
        if [[ $__holdfast_ending || $(builtin declare -F -- "$__holdfast_word_now") || ${__holdfast_lost["$__holdfast_word_now()"]-} ]]; then
          __holdfast_sets+=("$__holdfast_word_now()")
          if [[ $__holdfast_ending ]]; then
            __holdfast_plan_command "$__holdfast_word_now()" '' "builtin unset -f $__holdfast_word_now"
            continue
          fi
          __holdfast_plain=''
        fi
        __holdfast_sets+=("$__holdfast_word_now") __holdfast_texts_set+=("$__holdfast_word_now")
        __holdfast_plan_command "$__holdfast_word_now" '' "builtin unset -v $__holdfast_word_now"
        ;;
    esac
  done
}

# `read` and `mapfile` with plain names. Without a name they set one of their own.
__holdfast_judge_read() {
  local __holdfast_word_now __holdfast_count_of=0
  __holdfast_plain=''
  for __holdfast_word_now in "${__holdfast_words_now[@]:1}"; do
    case $__holdfast_word_now in
      -[rt]) ;;
      *[!a-zA-Z0-9_]* | [0-9]* | $__holdfast_touchy) return 1 ;;
      *)
        ((__holdfast_count_of += 1))
        if [[ $(builtin declare -p "$__holdfast_word_now" 2>/dev/null) == 'declare -'*([^ ])[in]* ]]; then return 1; fi
        __holdfast_sets+=("$__holdfast_word_now") __holdfast_texts_set+=("$__holdfast_word_now")
        ;;
    esac
  done
  ((__holdfast_count_of))
}

# `cd` to a path as it stands there. Elsewhere, the directory is not known any more.
__holdfast_judge_directory() {
  local __holdfast_each
  if [[ $__holdfast_inside || ! $__holdfast_plain || $__holdfast_mode != evaluate || ${#__holdfast_words_now[@]} != 2 || ${__holdfast_words_now[1]} != /* ||
    ${__holdfast_kinds_now[1]}${__holdfast_reads_now[1]} || ! -d ${__holdfast_words_now[1]} ]]; then
    __holdfast_plain=''
    __holdfast_sets+=('current directory' PWD OLDPWD)
    return 0
  fi
  for __holdfast_each in 'current directory' PWD OLDPWD; do
    __holdfast_sets+=("$__holdfast_each")
    __holdfast_plan_command "$__holdfast_each" '' "[[ \$PWD == ${__holdfast_words_now[1]} ]] || builtin cd -- ${__holdfast_words_now[1]}"
  done
}
