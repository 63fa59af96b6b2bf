# Reads what has a shape of its own in code: branches of `case`, subshells, and here-documents, whose text begins on the next line.

readonly __holdfast_reserved='@(if|then|elif|else|while|until|do|!|{|fi|done|})'

# Whether the words so far end in `case WORD in`, with nothing but reserved words before.
__holdfast_begins_case() {
  local __holdfast_at_word __holdfast_length=${#__holdfast_list[@]}
  if ((__holdfast_length < 3)) || [[ ${__holdfast_list[-1]}${__holdfast_kinds_of[-1]} != in || ${__holdfast_list[-3]}${__holdfast_kinds_of[-3]} != case ]]; then return 1; fi
  __holdfast_is_reserved $((__holdfast_length - 3))
}

# Whether the first $1 words are reserved ones.
__holdfast_is_reserved() {
  local __holdfast_at_word
  for ((__holdfast_at_word = 0; __holdfast_at_word < $1; __holdfast_at_word++)); do
    if [[ ${__holdfast_list[__holdfast_at_word]} != $__holdfast_reserved ]]; then return 1; fi
  done
}

# Takes the patterns of a branch up to `)`, or `esac`.
__holdfast_take_patterns() {
  local __holdfast_in_pattern=x
  __holdfast_plain='' __holdfast_list=() __holdfast_kinds_of=() __holdfast_read_by=()
  __holdfast_skip_lines || return 1
  if __holdfast_matches "$__holdfast_rest" $'^esac([] \t\n;&|)<>]|$)'; then
    ((__holdfast_cases -= 1))
    __holdfast_rest=${__holdfast_rest:4}
    return 0
  fi
  __holdfast_rest=${__holdfast_rest#'('}
  while :; do
    __holdfast_skip_blanks
    __holdfast_take_word || return 1
    if [[ ! $__holdfast_word ]]; then return 1; fi
    __holdfast_skip_blanks
    case $__holdfast_rest in
      '|'*) __holdfast_rest=${__holdfast_rest:1} ;;
      ')'*)
        __holdfast_rest=${__holdfast_rest:1}
        return 0
        ;;
      *) return 1 ;;
    esac
  done
}

__holdfast_skip_blanks() {
  __holdfast_rest=${__holdfast_rest#"${__holdfast_rest%%[![:blank:]]*}"}
}

# Skips blanks, comments and ends of lines.
__holdfast_skip_lines() {
  while :; do
    __holdfast_skip_blanks
    case $__holdfast_rest in
      '#'*) __holdfast_rest=${__holdfast_rest#"${__holdfast_rest%%$'\n'*}"} ;;
      $'\n'*)
        __holdfast_rest=${__holdfast_rest:1}
        __holdfast_take_documents || return 1
        ;;
      *) return 0 ;;
    esac
  done
}

# Takes the commands up to the closing parenthesis. They run in another process, so nothing that they set stays.
__holdfast_take_subshell() {
  local __holdfast_list=() __holdfast_kinds_of=() __holdfast_read_by=() __holdfast_cases=0 __holdfast_loops=0 __holdfast_documents=() __holdfast_in_pattern=''
  local __holdfast_sets=() __holdfast_counted=() __holdfast_texts_set=() __holdfast_numbers_set=() __holdfast_plans=() __holdfast_visited=' '
  local __holdfast_plain='' __holdfast_word __holdfast_kind __holdfast_names_read
  __holdfast_rest=${__holdfast_rest#'('}
  __holdfast_scan_commands ')'
}

# Takes `<<WORD`, and notes how its text ends.
__holdfast_take_delimiter() {
  local __holdfast_strips=''
  if ((${#__holdfast_list[@]})) && [[ ${__holdfast_list[-1]} == '{'* ]]; then return 1; fi
  __holdfast_plain='' __holdfast_rest=${__holdfast_rest#'<<'}
  if [[ $__holdfast_rest == -* ]]; then __holdfast_strips=x __holdfast_rest=${__holdfast_rest:1}; fi
  __holdfast_skip_blanks
  __holdfast_take_word || return 1
  if [[ ! $__holdfast_word || $__holdfast_kind == *[!q]* ]]; then return 1; fi
  __holdfast_documents+=("${__holdfast_strips:--}${__holdfast_kind:+q}" "${__holdfast_word//[\'\"\\]/}")
}

# Takes the texts of the here-documents of the line that has just ended.
__holdfast_take_documents() {
  local __holdfast_at_document __holdfast_line __holdfast_text
  for ((__holdfast_at_document = 0; __holdfast_at_document < ${#__holdfast_documents[@]}; __holdfast_at_document += 2)); do
    __holdfast_text=''
    while :; do
      if [[ ! $__holdfast_rest ]]; then return 1; fi
      __holdfast_line=${__holdfast_rest%%$'\n'*}
      __holdfast_rest=${__holdfast_rest#"$__holdfast_line"}
      __holdfast_rest=${__holdfast_rest#$'\n'}
      if [[ ${__holdfast_documents[__holdfast_at_document]} == x* ]]; then __holdfast_line=${__holdfast_line#"${__holdfast_line%%[!$'\t']*}"}; fi
      if [[ $__holdfast_line == "${__holdfast_documents[__holdfast_at_document + 1]}" ]]; then break; fi
      __holdfast_text+=$__holdfast_line$'\n'
    done
    if [[ ${__holdfast_documents[__holdfast_at_document]} != *q ]]; then __holdfast_take_document "$__holdfast_text" || return 1; fi
  done
  __holdfast_documents=()
}

# Reads the expansions in the text $1 of a here-document.
__holdfast_take_document() {
  local __holdfast_rest=$1 __holdfast_kind='' __holdfast_names_read=''
  # A line that goes on behind its end could hide the end of the text.
  if [[ $1 == *'\'$'\n'* ]]; then return 1; fi
  while [[ $__holdfast_rest ]]; do
    case $__holdfast_rest in
      '\'?*) __holdfast_rest=${__holdfast_rest:2} ;;
      '$'[[:space:]]*) __holdfast_rest=${__holdfast_rest:1} ;;
      [\$\`]*) __holdfast_take_expansion || return 1 ;;
      *) __holdfast_rest=${__holdfast_rest#"${__holdfast_rest%%[\\\$\`]*}"} ;;
    esac
  done
}
