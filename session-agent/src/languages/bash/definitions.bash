# Records which step has defined a name last. A function's name has `()` behind it here.

readonly __holdfast_names_max=2000
readonly __holdfast_unlisted='@(_|__holdfast*|BASH*|COMP_WORDBREAKS|DIRSTACK|EPOCH*|FUNCNAME|GROUPS|HISTCMD|LINENO|OPTIND|PIPESTATUS|PPID|'\
'PROMPT_COMMAND|PS[012]|RANDOM|SECONDS|SHELLOPTS|SRANDOM)'

# Records the names that exist before any step.
__holdfast_begin_definitions() {
  declare -gA __holdfast_forms=() __holdfast_steps=()
  __holdfast_note_definitions '' ''
}

# Records for step $1 with code $2 the names that are new or have another value now.
__holdfast_note_definitions() {
  local __holdfast_my_name __holdfast_my_form __holdfast_my_names
  builtin mapfile -t __holdfast_my_names <<<"$(__holdfast_names)"
  for __holdfast_my_name in "${__holdfast_my_names[@]:0:__holdfast_names_max}"; do
    if [[ $__holdfast_my_name == *'()' ]]; then
      __holdfast_my_form=function
      [[ $2 != *"$__holdfast_my_name"* && $2 != *"function ${__holdfast_my_name%'()'}"* ]] || __holdfast_my_form+=" $1"
      [[ $__holdfast_my_form != function || ! -v __holdfast_forms[$__holdfast_my_name] ]] || continue
    else
      __holdfast_form "$__holdfast_my_name"
    fi
    if [[ ! -v __holdfast_forms[$__holdfast_my_name] || ${__holdfast_forms[$__holdfast_my_name]} != "$__holdfast_my_form" ]]; then
      __holdfast_forms[$__holdfast_my_name]=$__holdfast_my_form
      __holdfast_steps[$__holdfast_my_name]=$1
    fi
  done
}

# Prints all names, one a line, except the kernel's own and those that the shell itself changes all the time. Call it in a subshell.
__holdfast_names() {
  # The pattern needs it.
  builtin shopt -s extglob
  builtin compgen -v -X "$__holdfast_unlisted"
  builtin compgen -A function -X '__holdfast*' -S '()'
}

# Sets `form` to a text that changes with variable $1: of a long value only its length, as this runs after each step.
__holdfast_form() {
  local -n __holdfast_variable=$1
  __holdfast_my_form=${__holdfast_variable@a}:
  if [[ $__holdfast_my_form == *[aA]* ]]; then
    __holdfast_my_form+=${#__holdfast_variable[@]}:
    if ((${#__holdfast_variable[@]} <= 100)); then __holdfast_my_form+="${!__holdfast_variable[*]}:${__holdfast_variable[*]}"; fi
  else
    __holdfast_my_form+=${__holdfast_variable-}
  fi
  if ((${#__holdfast_my_form} > 10000)); then __holdfast_my_form="${__holdfast_my_form%%:*}:${#__holdfast_my_form}"; fi
}
