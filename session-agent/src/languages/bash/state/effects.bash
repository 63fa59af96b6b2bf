# Judges one command of a later step: which names it sets, and whether it can be evaluated again. Commands are the words in
# `__holdfast_list`; what is not known here counts as able to change any name.

readonly __holdfast_touchy='@(_|__holdfast*|BASH*|COMP_*|DIRSTACK|EPOCH*|EUID|FUNCNAME|GROUPS|HIST*|HOME|CDPATH|IFS|IGNOREEOF|LANG|LC_*|LINENO|MAPFILE|OPT*|'\
'PIPESTATUS|POSIXLY_CORRECT|PPID|PROMPT_COMMAND|PS[0-4]|PWD|OLDPWD|RANDOM|SECONDS|SHELLOPTS|SHLVL|SRANDOM|TMOUT|UID|REPLY|COPROC|TIMEFORMAT|TMPDIR|FUNCNEST|EXECIGNORE|GLOBIGNORE|EMACS|INSIDE_EMACS)'
readonly __holdfast_re_assignment='^([a-zA-Z_][a-zA-Z0-9_]*)(\[([0-9]+|[a-zA-Z_][a-zA-Z0-9_]*)\])?(\+?)='

__holdfast_judge() {
  local __holdfast_words_now=("${__holdfast_list[@]}") __holdfast_kinds_now=("${__holdfast_kinds_of[@]}") __holdfast_reads_now=("${__holdfast_read_by[@]}")
  __holdfast_list=() __holdfast_kinds_of=() __holdfast_read_by=()
  while ((${#__holdfast_words_now[@]})); do
    case ${__holdfast_words_now[0]} in
      do) ((__holdfast_loops += 1)) ;;
      'done') ((__holdfast_loops -= 1)) ;;
    esac
    case ${__holdfast_words_now[0]} in
      if | then | elif | else | while | until | do | '!' | '{' | fi | done | '}') __holdfast_plain='' ;;
      'esac')
        if ((!__holdfast_cases)); then return 1; fi
        ((__holdfast_cases -= 1))
        __holdfast_plain=''
        ;;
      *) break ;;
    esac
    __holdfast_shift_word
  done
  local __holdfast_first=${__holdfast_words_now[0]-} __holdfast_assigned=0 __holdfast_length=${#__holdfast_words_now[@]} __holdfast_at_word
  for ((__holdfast_at_word = 0; __holdfast_at_word < __holdfast_length; __holdfast_at_word++)); do
    if ! __holdfast_matches "${__holdfast_words_now[__holdfast_at_word]}" "$__holdfast_re_assignment"; then break; fi
    ((__holdfast_assigned += 1))
    __holdfast_judge_assignment "$__holdfast_at_word" '' || return 1
  done
  if ((__holdfast_length == __holdfast_assigned)); then return 0; fi
  if ((__holdfast_assigned)); then __holdfast_plain=''; fi
  while ((__holdfast_assigned-- > 0)); do __holdfast_shift_word; done
  __holdfast_first=${__holdfast_words_now[0]}
  if [[ $__holdfast_first == *[!a-zA-Z0-9_./:+@-]* && $__holdfast_first != @('['|'[[') ]]; then return 1; fi
  if [[ $(builtin declare -F -- "$__holdfast_first") ]]; then
    __holdfast_judge_call
    return
  fi
  case $__holdfast_first in
    wait) ((${#__holdfast_words_now[@]} == 1)) ;;
    echo | : | true | false | pwd | type | jobs | kill | times | break | continue | return) __holdfast_changes_nothing ;;
    printf) if [[ ${__holdfast_words_now[1]-} == -v ]]; then __holdfast_judge_printf; return; fi
      [[ ${__holdfast_words_now[1]-} != -* && ${__holdfast_kinds_now[1]-} != *[dun]* && ! ${__holdfast_reads_now[1]-} ]] &&
      ! __holdfast_matches "${__holdfast_words_now[1]-}" '%[^a-zA-Z]*[a-zA-Z]*n' ;;
    '[' | '[[' | test) __holdfast_judge_test ;;
    for) __holdfast_judge_for ;;
    export | declare | typeset | readonly | local) __holdfast_judge_declaration ;;
    unset) __holdfast_judge_unset ;;
    read | mapfile | readarray) __holdfast_judge_read ;;
    cd) __holdfast_judge_directory ;;
    alias) __holdfast_judge_alias ;;
    unalias) __holdfast_judge_unalias ;;
    trap) __holdfast_judge_trap ;;
    *) [[ $(builtin type -t -- "$__holdfast_first") != @(builtin|keyword) ]] ;;
  esac
}

__holdfast_shift_word() {
  __holdfast_words_now=("${__holdfast_words_now[@]:1}") __holdfast_kinds_now=("${__holdfast_kinds_now[@]:1}") __holdfast_reads_now=("${__holdfast_reads_now[@]:1}")
}

# At the top level `return` ends a step, and so does `break` outside of a loop. The code after it has not run.
__holdfast_changes_nothing() {
  case $__holdfast_first in
    return) [[ $__holdfast_inside ]] ;;
    break | continue) ((__holdfast_loops > 0)) ;;
  esac
}

# Notes the assignment in word $1, which follows $2, the beginning of a declaration.
__holdfast_judge_assignment() {
  local __holdfast_text=${__holdfast_words_now[$1]} __holdfast_kind=${__holdfast_kinds_now[$1]} __holdfast_name __holdfast_value __holdfast_key='' __holdfast_flags
  __holdfast_kind=${__holdfast_kind/#un/n}
  __holdfast_name=${__holdfast_text%%[=+[]*} __holdfast_value=${__holdfast_text#*=}
  # Separators that are set alone can be set again.
  if [[ $__holdfast_name == $__holdfast_touchy && ($__holdfast_name != IFS || $2 || ! $__holdfast_plain || $__holdfast_inside) || $__holdfast_kind == *u*g* && $__holdfast_kind == *a* ]]; then return 1; fi
  __holdfast_flags=$(builtin declare -p "$__holdfast_name" 2>/dev/null)
  __holdfast_flags=${__holdfast_flags#declare -}
  __holdfast_flags=${__holdfast_flags%% *}
  if [[ $__holdfast_flags == *n* ]]; then return 1; fi
  # Names that the chunk itself declares do not exist yet.
  __holdfast_flags+=${__holdfast_declares[$__holdfast_name]-}
  if [[ ${__holdfast_text%%=*} == *']'* ]]; then
    __holdfast_key=${__holdfast_text#*[}
    __holdfast_key=${__holdfast_key%%]*}
    __holdfast_kind=${__holdfast_kind/#gg/}
    if [[ $__holdfast_key == *[!0-9]* && $__holdfast_flags != *A* ]]; then return 1; fi
  fi
  if [[ $__holdfast_kind == *a* ]] && __holdfast_matches "$__holdfast_value" '\[[a-zA-Z_]' && [[ $__holdfast_flags != *A* && $2 != *A* ]]; then return 1; fi
  if [[ $2$__holdfast_flags == *[in]* || $2 == *i* ]]; then
    if [[ $__holdfast_value == *[!0-9]* && ($__holdfast_kind != n || $__holdfast_value != '$(('*) ]]; then return 1; fi
  fi
  if [[ $2 ]]; then __holdfast_declares[$__holdfast_name]+=${2//[!iA]/}; fi
  __holdfast_sets+=("$__holdfast_name")
  if [[ $__holdfast_value != *[!0-9]* && ${__holdfast_text%%=*} != *+ || $__holdfast_kind == n && $__holdfast_value == '$(('*'))' ]]; then
    __holdfast_numbers_set+=("$__holdfast_name")
  else
    __holdfast_texts_set+=("$__holdfast_name")
  fi
  # Appending and elements need the value that is there.
  local __holdfast_reads=${__holdfast_reads_now[$1]} __holdfast_run="$2$__holdfast_text"
  if [[ ${__holdfast_text%%=*} == *[]+]* ]]; then
    __holdfast_reads+=" ?$__holdfast_name"
  fi
  if [[ $__holdfast_kind == *[dg]* || $__holdfast_value == *'~'* || $__holdfast_flags == *r* ]]; then __holdfast_run=''; fi
  __holdfast_plan_command "$__holdfast_name" "$__holdfast_reads" "$__holdfast_run"
}

__holdfast_plan_command() {
  local __holdfast_quoted
  builtin printf -v __holdfast_quoted '%q %q %q' "$@"
  __holdfast_plans+=("$__holdfast_quoted")
}

# `((n += 1))`: an expression of names that are numbers.
__holdfast_judge_arithmetic() {
  local __holdfast_kind='' __holdfast_names_read='' __holdfast_was_plain=$__holdfast_plain __holdfast_each __holdfast_names_in
  if [[ $1 == *';'* ]]; then return 1; fi
  __holdfast_note_arithmetic "$1" || return 1
  if [[ $__holdfast_was_plain && ! $__holdfast_plain ]]; then
    # Alone, it is evaluated again.
    builtin eval "__holdfast_names_in=($(__holdfast_identifiers "$1"))"
    for __holdfast_each in "${__holdfast_names_in[@]}"; do __holdfast_plan_command "$__holdfast_each" "$__holdfast_names_read" ''; done
  fi
}

# A call of a function: whatever its code may set, and the functions that it calls.
__holdfast_judge_call() {
  local __holdfast_text __holdfast_inside=x
  __holdfast_plain=''
  if [[ $__holdfast_visited == *" $__holdfast_first "* ]]; then return 0; fi
  __holdfast_visited+="$__holdfast_first "
  if [[ ${__holdfast_lost["$__holdfast_first()"]-} ]]; then return 1; fi
  __holdfast_text=$(builtin declare -f -- "$__holdfast_first")
  if [[ $__holdfast_text != *$' () \n{ \n'*$'\n}' ]]; then return 1; fi
  __holdfast_text=${__holdfast_text#*$' () \n{ \n'}
  __holdfast_scan "${__holdfast_text%$'\n}'}"
}
