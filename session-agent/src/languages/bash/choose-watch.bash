# Decides whether a step's commands are watched (order.bash). Reads the words of the code and not its grammar, so it may watch a step
# without need, but none of the commands that it lets pass writes to stderr, unless it fails.

# Whether any step's code has done so, since its functions may do it again.
__holdfast_exits_by_builtin='' __holdfast_has_subshells=''

# Sets `__holdfast_watches` for the code $1.
__holdfast_choose_watch() {
  __holdfast_watches=''
  # The kernel's functions would call them between the commands.
  if [[ $__holdfast_aside ]]; then return; fi
  if __holdfast_matches "$1" '(builtin|command)[[:space:]]+exit'; then __holdfast_exits_by_builtin=x; fi
  if __holdfast_matches "$1" '(^|[[:space:];&|{!])(\([^()]|(source|[.])[[:space:]])'; then __holdfast_has_subshells=x; fi
  # The user's own traps would act on the functions that the kernel's trap traces, and tracing would show it.
  if [[ $__holdfast_traps == *@(DEBUG|RETURN)* || $__holdfast_options == *x* ]]; then return; fi
  if __holdfast_matches "$1" 'DEBUG|RETURN|xtrace|set[[:space:]]+-[[:alpha:]]*x'; then return; fi
  if [[ $__holdfast_exits_by_builtin || $SHELLOPTS == *posix* ]] || ! __holdfast_only_prints "$1"; then __holdfast_watches=x; fi
}

# Whether a part of text $1 matches regular expression $2. In a long text this takes no longer than its length, unlike a glob with parts.
__holdfast_matches() {
  local __holdfast_my_kept=("${BASH_REMATCH[@]}") __holdfast_my_status=1
  if [[ $1 =~ $2 ]]; then __holdfast_my_status=0; fi
  BASH_REMATCH=("${__holdfast_my_kept[@]}")
  return "$__holdfast_my_status"
}
readonly __holdfast_sets_errtrace='set[[:space:]]+[^;]*-[[:alpha:]]*E|errtrace'

# Whether code $1 runs nothing but commands of the shell that print to stdout or not at all.
__holdfast_only_prints() {
  local __holdfast_my_text=${1//\/dev\/null/} __holdfast_my_rest __holdfast_my_segment __holdfast_my_segments __holdfast_my_word
  if ((${#__holdfast_my_text} > 10000 || ${#BASH_ALIASES[@]})) || [[ $__holdfast_my_text == *@('>&'|'&>'|/dev/|:\?|posix)* ]]; then return 1; fi
  if builtin declare -F echo >/dev/null || builtin declare -F printf >/dev/null; then return 1; fi
  # Arithmetic has separators of its own.
  while [[ $__holdfast_my_text == *'(('*'))'* ]]; do
    __holdfast_my_rest=${__holdfast_my_text#*'(('}
    __holdfast_my_segment=${__holdfast_my_rest%%'))'*}
    if [[ $__holdfast_my_segment == *[\`\(]* ]]; then return 1; fi
    __holdfast_my_text=${__holdfast_my_text%%'(('*}0${__holdfast_my_rest#*'))'}
  done
  __holdfast_my_text=${__holdfast_my_text//[;&|()\`]/$'\n'}
  builtin mapfile -t __holdfast_my_segments <<<"${__holdfast_my_text//'{ '/$'\n'}" || return 1
  for __holdfast_my_segment in "${__holdfast_my_segments[@]}"; do
    __holdfast_first_word
    case $__holdfast_my_word in
      '' | 0 | '}' | '#'* | for | case | esac | in | fi | done | break | continue | return | exit | echo | printf | : | true | false) ;;
      '[[' | '[' | test | local | declare | typeset | export | unset | shift | let | set) ;;
      *) [[ $__holdfast_my_segment == [[:alpha:]_]*([[:alnum:]_])?(+)=@(*([^[:space:]\"\'])|\"*([^\"])\"|\'*([^\'])\')*([[:space:]]) ]] || return 1 ;;
    esac
  done
}

# Sets `word` to the first word of `segment` behind the words that a command may follow, which it takes away.
__holdfast_first_word() {
  while :; do
    __holdfast_my_segment=${__holdfast_my_segment#"${__holdfast_my_segment%%[![:space:]]*}"}
    __holdfast_my_word=${__holdfast_my_segment%%[[:space:]]*}
    case $__holdfast_my_word in
      then | do | else | elif | if | while | until | !) __holdfast_my_segment=${__holdfast_my_segment#"$__holdfast_my_word"} ;;
      *) return ;;
    esac
  done
}
