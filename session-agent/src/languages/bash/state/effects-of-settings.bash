# Judges the builtins that set aliases and traps, and what those that are set can change.

# `alias name='text'`. It acts on the lines after its own.
__holdfast_judge_alias() {
  local __holdfast_at_word __holdfast_word_now __holdfast_run
  for ((__holdfast_at_word = 1; __holdfast_at_word < ${#__holdfast_words_now[@]}; __holdfast_at_word++)); do
    __holdfast_word_now=${__holdfast_words_now[__holdfast_at_word]}
    if [[ $__holdfast_word_now == -p ]]; then continue; fi
    if ! __holdfast_matches "$__holdfast_word_now" '^[a-zA-Z_][a-zA-Z0-9_.-]*(=|$)'; then return 1; fi
    if [[ $__holdfast_word_now != *=* ]]; then continue; fi
    __holdfast_run="builtin alias $__holdfast_word_now"
    if [[ ${__holdfast_kinds_now[__holdfast_at_word]} == *[!q]* || $__holdfast_word_now == *'~'* ]]; then __holdfast_run=''; fi
    __holdfast_sets+=("alias ${__holdfast_word_now%%=*}")
    __holdfast_plan_command "alias ${__holdfast_word_now%%=*}" "${__holdfast_reads_now[__holdfast_at_word]}" "$__holdfast_run"
  done
}

__holdfast_judge_unalias() {
  local __holdfast_word_now
  for __holdfast_word_now in "${__holdfast_words_now[@]:1}"; do
    if ! __holdfast_matches "$__holdfast_word_now" '^[a-zA-Z_][a-zA-Z0-9_.-]*$'; then return 1; fi
    __holdfast_sets+=("alias $__holdfast_word_now")
    __holdfast_plan_command "alias $__holdfast_word_now" '' "builtin unalias $__holdfast_word_now"
  done
}

# `trap 'code' SIGNALS` for signals, and for EXIT, whose code runs only when a step exits.
__holdfast_judge_trap() {
  local __holdfast_at_word __holdfast_code_now __holdfast_signal __holdfast_run
  if ((${#__holdfast_words_now[@]} == 1)) || [[ ${__holdfast_words_now[1]} == -[lp] ]]; then return 0; fi
  if [[ ${__holdfast_words_now[1]} == -- ]]; then __holdfast_shift_word; fi
  __holdfast_code_now=${__holdfast_words_now[1]-}
  if ((${#__holdfast_words_now[@]} < 3)) || [[ ${__holdfast_kinds_now[1]} == *[!q]* || ${__holdfast_reads_now[1]} || $__holdfast_code_now == '~'* ]]; then return 1; fi
  for __holdfast_signal in "${__holdfast_words_now[@]:2}"; do
    case ${__holdfast_signal#SIG} in
      EXIT | 0)
        __holdfast_signal=EXIT __holdfast_run="__holdfast_user_exit=$__holdfast_code_now"
        if [[ $__holdfast_code_now == - ]]; then __holdfast_run='__holdfast_user_exit='; fi
        ;;
      HUP | QUIT | TERM | USR1 | USR2 | ALRM | PIPE | WINCH)
        __holdfast_signal=SIG${__holdfast_signal#SIG} __holdfast_run="builtin trap -- $__holdfast_code_now $__holdfast_signal"
        if [[ $__holdfast_code_now == - ]]; then __holdfast_run="builtin trap - $__holdfast_signal"; fi
        ;;
      *) return 1 ;;
    esac
    __holdfast_sets+=("trap $__holdfast_signal")
    __holdfast_plan_command "trap $__holdfast_signal" '' "$__holdfast_run"
  done
}

# Whether an alias could stand in code $1. One that is lost stands for a text that is not known.
__holdfast_has_alias() {
  local __holdfast_each __holdfast_code_now=${1//'\'$'\n'/}
  for __holdfast_each in "${!BASH_ALIASES[@]}" "${!__holdfast_lost[@]}"; do
    case $__holdfast_each in
      'alias '*) __holdfast_each=${__holdfast_each#alias } ;;
      *) if [[ ${__holdfast_lost[$__holdfast_each]-} && ! ${BASH_ALIASES[$__holdfast_each]-} ]]; then continue; fi ;;
    esac
    if [[ $__holdfast_each == *[!a-zA-Z0-9_]* ]]; then
      if [[ $__holdfast_code_now == *"$__holdfast_each"* ]]; then return 0; fi
    elif __holdfast_matches "$__holdfast_code_now" "(^|[^a-zA-Z0-9_])$__holdfast_each([^a-zA-Z0-9_]|\$)" && ! __holdfast_only_defines "$__holdfast_code_now" "$__holdfast_each"; then
      return 0
    fi
  done
  return 1
}

# Whether code $1 is a line that defines or removes alias $2 and mentions it nowhere else. Behind `alias` no other alias acts.
__holdfast_only_defines() {
  local __holdfast_left=${1#*"$2"}
  if [[ ${BASH_ALIASES[alias]-}${BASH_ALIASES[unalias]-} ]]; then return 1; fi
  [[ $1 == @(un|)alias' '"$2"@(=*|) ]] && ! __holdfast_matches "$__holdfast_left" "(^|[^a-zA-Z0-9_])$2([^a-zA-Z0-9_]|\$)"
}

# Loses the names that the user's traps set, since they may run between any two commands. Fails if that cannot be told.
__holdfast_lose_to_traps() {
  local __holdfast_fields __holdfast_at_field __holdfast_code_now __holdfast_mode=lose
  for __holdfast_code_now in "${!__holdfast_lost[@]}"; do
    if [[ $__holdfast_code_now == 'trap '* ]]; then return 1; fi
  done
  # Each line is `trap -- code signal`, and a line's end separates words as well.
  builtin eval "__holdfast_fields=($(builtin trap -p))"
  for ((__holdfast_at_field = 2; __holdfast_at_field < ${#__holdfast_fields[@]}; __holdfast_at_field += 4)); do
    # The kernel keeps the user's of these, and they are off here.
    case ${__holdfast_fields[__holdfast_at_field + 1]} in SIGINT | SIGCHLD | DEBUG | ERR | EXIT | RETURN) continue ;; esac
    if __holdfast_has_alias "${__holdfast_fields[__holdfast_at_field]}"; then return 1; fi
    __holdfast_take_commands "${__holdfast_fields[__holdfast_at_field]}" || return 1
  done
}
