# Completes the code at the cursor: variables behind a dollar sign, commands at the start of a command, files elsewhere.

readonly __holdfast_matches_max=1000

# $1 is the code, $2 the cursor in characters.
__holdfast_complete() {
  local before=${1:0:$2} word head start kind matches='' match count=0
  local -A seen=()
  word=${before##*[[:space:];&|()<>\`\"\'=]}
  head=${before%"$word"}
  start=$(($2 - ${#word}))
  while IFS= read -r match; do
    kind=${match%%/*} match=${match#*/}
    [[ $match != *__holdfast* && ${#match} -le 512 && ! -v seen[$match] ]] || continue
    seen[$match]=1
    ((++count <= __holdfast_matches_max)) || break
    __holdfast_json match "$match"
    matches+=",{\"text\":$match,\"kind\":\"$kind\"}"
  done < <(__holdfast_candidates "$word" "$head")
  __holdfast_send "{\"type\":\"completions\",\"id\":$__holdfast_id,\"matches\":[${matches#,}],\"start\":$start,\"end\":$2}"
}

# Prints candidates for word $1 behind code $2. Each line is a kind, a slash and a text.
__holdfast_candidates() {
  local head=${2%"${2##*[![:space:]]}"}
  case $1 in
    '${'*) compgen -A variable -P 'variable/${' -- "${1#'${'}" ;;
    '$'*) compgen -A variable -P 'variable/$' -- "${1#'$'}" ;;
    *)
      if [[ -z $head || $head == *[\;\&\|\(\{] || $2 == *$'\n' || $head =~ (^|[[:space:]])(then|do|else)$ ]]; then
        compgen -A function -P function/ -- "$1"
        compgen -A builtin -P builtin/ -- "$1"
        compgen -A keyword -P keyword/ -- "$1"
        compgen -A alias -P alias/ -- "$1"
        compgen -A command -P command/ -- "$1"
      fi
      compgen -A file -P file/ -- "$1"
      ;;
  esac
}
