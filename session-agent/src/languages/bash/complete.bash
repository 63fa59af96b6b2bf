# Completes the code at the cursor: variables behind a dollar sign, commands at the start of a command, files elsewhere.

readonly __holdfast_matches_max=1000

# $1 is the code, $2 the cursor in characters.
__holdfast_complete() {
  local __holdfast_my_before=${1:0:$2} __holdfast_my_word __holdfast_my_head __holdfast_my_start __holdfast_my_kind __holdfast_my_matches='' __holdfast_my_match __holdfast_my_count=0
  local -A __holdfast_my_seen=()
  __holdfast_my_word=${__holdfast_my_before##*[[:space:];&|()<>\`\"\'=]}
  __holdfast_my_head=${__holdfast_my_before%"$__holdfast_my_word"}
  __holdfast_my_start=$(($2 - ${#__holdfast_my_word}))
  while IFS= read -r __holdfast_my_match; do
    __holdfast_my_kind=${__holdfast_my_match%%/*} __holdfast_my_match=${__holdfast_my_match#*/}
    [[ $__holdfast_my_match != *__holdfast* && ${#__holdfast_my_match} -le 512 && ! -v __holdfast_my_seen[$__holdfast_my_match] ]] || continue
    __holdfast_my_seen[$__holdfast_my_match]=1
    ((++__holdfast_my_count <= __holdfast_matches_max)) || break
    __holdfast_json __holdfast_my_match "$__holdfast_my_match"
    __holdfast_my_matches+=",{\"text\":$__holdfast_my_match,\"kind\":\"$__holdfast_my_kind\"}"
  done < <(__holdfast_candidates "$__holdfast_my_word" "$__holdfast_my_head")
  __holdfast_send "{\"type\":\"completions\",\"id\":$__holdfast_id,\"matches\":[${__holdfast_my_matches#,}],\"start\":$__holdfast_my_start,\"end\":$2}"
}

# Prints candidates for word $1 behind code $2. Each line is a kind, a slash and a text.
__holdfast_candidates() {
  local __holdfast_my_head=${2%"${2##*[![:space:]]}"}
  case $1 in
    '${'*) compgen -A variable -P 'variable/${' -- "${1#'${'}" ;;
    '$'*) compgen -A variable -P 'variable/$' -- "${1#'$'}" ;;
    *)
      if [[ -z $__holdfast_my_head || $__holdfast_my_head == *[\;\&\|\(\{] || $2 == *$'\n' || $__holdfast_my_head =~ (^|[[:space:]])(then|do|else)$ ]]; then
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
