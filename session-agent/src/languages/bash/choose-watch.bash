# Decides whether a step's commands are watched (order.bash). Reads the words of the code and not its grammar, so it may watch a step
# without need, but none of the commands that it lets pass writes to stderr, unless it fails.

# Whether any step's code has done so, since its functions may do it again.
__holdfast_exits_by_builtin='' __holdfast_has_subshells=''

# Sets `__holdfast_watches` for the code $1.
__holdfast_choose_watch() {
  __holdfast_watches=''
  if __holdfast_matches "$1" '(builtin|command)[[:space:]]+exit'; then __holdfast_exits_by_builtin=x; fi
  if __holdfast_matches "$1" '(^|[[:space:];&|{!])(\([^()]|(source|[.])[[:space:]])'; then __holdfast_has_subshells=x; fi
  # The user's own traps would act on the functions that the kernel's trap traces, and tracing would show it.
  if [[ $__holdfast_traps == *@(DEBUG|RETURN)* || $__holdfast_options == *x* ]]; then return; fi
  if __holdfast_matches "$1" 'DEBUG|RETURN|xtrace|set[[:space:]]+-[[:alpha:]]*x'; then return; fi
  if [[ $__holdfast_exits_by_builtin || $SHELLOPTS == *posix* ]] || ! __holdfast_only_prints "$1"; then __holdfast_watches=x; fi
}

# Whether a part of text $1 matches regular expression $2. In a long text this takes no longer than its length, unlike a glob with parts.
__holdfast_matches() {
  local kept=("${BASH_REMATCH[@]}") status=1
  if [[ $1 =~ $2 ]]; then status=0; fi
  BASH_REMATCH=("${kept[@]}")
  return "$status"
}
readonly __holdfast_sets_errtrace='set[[:space:]]+[^;]*-[[:alpha:]]*E|errtrace'

# Whether code $1 runs nothing but commands of the shell that print to stdout or not at all.
__holdfast_only_prints() {
  local IFS=$'\n' text=${1//\/dev\/null/} rest segment word
  if ((${#text} > 10000 || ${#BASH_ALIASES[@]})) || [[ $text == *@('>&'|'&>'|/dev/|:\?|posix)* ]]; then return 1; fi
  if builtin declare -F echo >/dev/null || builtin declare -F printf >/dev/null; then return 1; fi
  # Arithmetic has separators of its own.
  while [[ $text == *'(('*'))'* ]]; do
    rest=${text#*'(('}
    segment=${rest%%'))'*}
    if [[ $segment == *[\`\(]* ]]; then return 1; fi
    text=${text%%'(('*}0${rest#*'))'}
  done
  text=${text//[;&|()\`]/$'\n'}
  for segment in ${text//'{ '/$'\n'}; do
    __holdfast_first_word
    case $word in
      '' | 0 | '}' | '#'* | for | case | esac | in | fi | done | break | continue | return | exit | echo | printf | : | true | false) ;;
      '[[' | '[' | test | local | declare | typeset | export | unset | shift | let | set) ;;
      *) [[ $segment == [[:alpha:]_]*([[:alnum:]_])?(+)=@(*([^[:space:]\"\'])|\"*([^\"])\"|\'*([^\'])\')*([[:space:]]) ]] || return 1 ;;
    esac
  done
}

# Sets `word` to the first word of `segment` behind the words that a command may follow, which it takes away.
__holdfast_first_word() {
  while :; do
    segment=${segment#"${segment%%[![:space:]]*}"}
    word=${segment%%[[:space:]]*}
    case $word in
      then | do | else | elif | if | while | until | !) segment=${segment#"$word"} ;;
      *) return ;;
    esac
  done
}
