# Reads one word of code, with its quotes and expansions.

readonly __holdfast_re_name='^\$([a-zA-Z_][a-zA-Z0-9_]*)'
readonly __holdfast_re_braced='^\$\{[#!]?([a-zA-Z_][a-zA-Z0-9_]*)(\[[0-9@*]+\])?((:?[-+]|##?|%%?|\^\^?|,,?|//?)[a-zA-Z0-9_ ./*,-]*|:[0-9]+(:[0-9]+)?)?\}'
readonly __holdfast_re_arithmetic='^\$\(\(([^]()[`"'"'"'\\{}#]*)\)\)'
readonly __holdfast_re_output='^(\$\(([^()'"'"'"`\\#<]|"[^"()`\\]*"|'"'"'[^'"'"'()]*'"'"')*\)|`([^()'"'"'"`\\#<]|"[^"()`\\]*"|'"'"'[^'"'"'()]*'"'"')*`)'
readonly __holdfast_re_escaped="^\\\$'([^'\\\\]|\\\\.)*'"
readonly __holdfast_re_array='^\(([^]()'"'"'"`\\$#;&|<>*?~{}[]|'"'"'[^'"'"']*'"'"'|"[^"`\\$]*"|"\$[a-zA-Z_][a-zA-Z0-9_]*"|\[[0-9]+\]=|\[[a-zA-Z_][a-zA-Z0-9_]*\]=)*\)'

# Takes a word from `__holdfast_rest` into `__holdfast_word`. `__holdfast_kind` collects: d if its value cannot be told, q if it is quoted,
# u if it has an unquoted expansion, n if it is a number or arithmetic, a if it is an array. Fails if it is anything else.
__holdfast_take_word() {
  local __holdfast_start=$__holdfast_rest __holdfast_part
  __holdfast_kind='' __holdfast_names_read=''
  while [[ $__holdfast_rest ]]; do
    case $__holdfast_rest in
      [[:space:]\;\&\|\<\>]*) break ;;
      '('*)
        if [[ ${__holdfast_start%"$__holdfast_rest"} != *= ]]; then return 1; fi
        __holdfast_part=$(__holdfast_match "$__holdfast_rest" "$__holdfast_re_array") || return 1
        __holdfast_names_read+=" $(__holdfast_identifiers "$(__holdfast_dollars "$__holdfast_part")")"
        __holdfast_kind+=a __holdfast_rest=${__holdfast_rest#"$__holdfast_part"}
        ;;
      ')'*) break ;;
      "'"*)
        __holdfast_part=${__holdfast_rest:1}
        if [[ $__holdfast_part != *"'"* ]]; then return 1; fi
        __holdfast_kind+=q __holdfast_rest=${__holdfast_part#*"'"}
        ;;
      '"'*)
        __holdfast_kind+=q __holdfast_rest=${__holdfast_rest:1}
        while [[ $__holdfast_rest != '"'* ]]; do
          case $__holdfast_rest in
            '') return 1 ;;
            '\'?*) __holdfast_rest=${__holdfast_rest:2} ;;
            [\$\`]*) __holdfast_take_expansion || return 1 ;;
            *) __holdfast_rest=${__holdfast_rest#"${__holdfast_rest%%[\"\\\$\`]*}"} ;;
          esac
        done
        __holdfast_rest=${__holdfast_rest:1}
        ;;
      "\$'"*)
        __holdfast_part=$(__holdfast_match "$__holdfast_rest" "$__holdfast_re_escaped") || return 1
        __holdfast_kind+=q __holdfast_rest=${__holdfast_rest#"$__holdfast_part"}
        ;;
      '$"'*) return 1 ;;
      '\'?*) __holdfast_kind+=q __holdfast_rest=${__holdfast_rest:2} ;;
      [\$\`]*)
        __holdfast_kind+=u
        __holdfast_take_expansion || return 1
        ;;
      [\*\?~{}[]* | ']'*) __holdfast_kind+=g __holdfast_rest=${__holdfast_rest:1} ;;
      [a-zA-Z0-9_./:,%+@^=!#-]*) __holdfast_rest=${__holdfast_rest:1} ;;
      *) return 1 ;;
    esac
  done
  __holdfast_word=${__holdfast_start%"$__holdfast_rest"}
  if [[ ! $__holdfast_rest ]]; then __holdfast_word=$__holdfast_start; fi
}

# Takes an expansion, and notes the name that it reads.
__holdfast_take_expansion() {
  local __holdfast_part
  if __holdfast_part=$(__holdfast_match "$__holdfast_rest" "$__holdfast_re_arithmetic"); then
    __holdfast_kind+=n
    __holdfast_note_arithmetic "${__holdfast_part:3:-2}" || return 1
  elif __holdfast_part=$(__holdfast_match "$__holdfast_rest" "$__holdfast_re_output") && [[ $__holdfast_part != *case* ]]; then
    __holdfast_kind+=d
  elif [[ $__holdfast_rest == '$('[!\(]* ]]; then
    __holdfast_kind+=d __holdfast_rest=${__holdfast_rest:1}
    __holdfast_take_subshell
    return
  elif __holdfast_part=$(__holdfast_match "$__holdfast_rest" "$__holdfast_re_braced"); then
    if [[ $__holdfast_part == '${!'* && $__holdfast_part != *'[@]}' ]]; then return 1; fi
    __holdfast_names_read+=" $(__holdfast_identifiers "${__holdfast_part%%[:%#^,/+-]*}")"
    if [[ $__holdfast_part == '${#'* ]]; then __holdfast_names_read+=" $(__holdfast_identifiers "$__holdfast_part")"; fi
  elif __holdfast_part=$(__holdfast_match "$__holdfast_rest" "$__holdfast_re_name"); then
    __holdfast_names_read+=" ${__holdfast_part:1}"
  elif [[ $__holdfast_rest == '$'[0-9@*#?\$!-]* ]]; then
    __holdfast_part=${__holdfast_rest:0:2} __holdfast_kind+=d
  else
    return 1
  fi
  __holdfast_rest=${__holdfast_rest#"$__holdfast_part"}
}

# Prints the part of text $1 that matches expression $2. Call it in a subshell.
__holdfast_match() {
  [[ $1 =~ $2 ]] && builtin printf %s "${BASH_REMATCH[0]}"
}

# Prints the names with a dollar sign in text $1. Call it in a subshell.
__holdfast_dollars() {
  local __holdfast_left=${1//[!a-zA-Z0-9_$]/$'\n'} __holdfast_each
  builtin mapfile -t __holdfast_left <<<"$__holdfast_left"
  for __holdfast_each in "${__holdfast_left[@]}"; do
    if [[ $__holdfast_each == '$'* ]]; then builtin printf '%s ' "${__holdfast_each//\$/ }"; fi
  done
}

# Prints the identifiers in text $1. Call it in a subshell.
__holdfast_identifiers() {
  local __holdfast_left=${1//[!a-zA-Z0-9_]/$'\n'} __holdfast_each
  builtin mapfile -t __holdfast_left <<<"$__holdfast_left"
  for __holdfast_each in "${__holdfast_left[@]}"; do
    if [[ $__holdfast_each == [a-zA-Z_]* ]]; then builtin printf '%s ' "$__holdfast_each"; fi
  done
}

# Notes the names of an arithmetic expression, and those that it sets.
__holdfast_note_arithmetic() {
  local __holdfast_each __holdfast_names_in
  if [[ $1 == *[!a-zA-Z0-9_\ +*/%\<\>\&\|^?:,~=!\$-]* || $1 == *\$[!a-zA-Z_]* ]]; then return 1; fi
  __holdfast_each=$(__holdfast_identifiers "$1")
  __holdfast_names_read+=" $__holdfast_each"
  builtin eval "__holdfast_names_in=($__holdfast_each)"
  for __holdfast_each in "${__holdfast_names_in[@]}"; do
    if [[ $__holdfast_each == $__holdfast_touchy ]] || __holdfast_is_reference "$__holdfast_each"; then return 1; fi
    __holdfast_counted+=("$__holdfast_each")
  done
  if [[ $1 == *++* || $1 == *--* || ${1//[=!<>]=/} == *=* || $1 == *@('<<='|'>>=')* ]]; then
    __holdfast_plain=''
    for __holdfast_each in "${__holdfast_names_in[@]}"; do __holdfast_sets+=("$__holdfast_each") __holdfast_numbers_set+=("$__holdfast_each"); done
  fi
}

# Whether name $1 is a reference to another one (`declare -n`). Sets `__holdfast_aim` to the name behind it.
__holdfast_is_reference() {
  local __holdfast_declaration
  __holdfast_declaration=$(builtin declare -p "$1" 2>/dev/null)
  __holdfast_aim=''
  if [[ $__holdfast_declaration != 'declare -'*([^ ])n*([^ ])" $1"* ]]; then return 1; fi
  if [[ $__holdfast_declaration == *=* ]]; then builtin eval "__holdfast_aim=${__holdfast_declaration#*=}"; fi
  __holdfast_aim=${__holdfast_aim%%[*}
}
