# Describes the name at the cursor: the declaration of a variable or function, the help of a builtin, the file of a command.

# $1 is the code, $2 the cursor in characters.
__holdfast_inspect() {
  local __holdfast_my_before=${1:0:$2} __holdfast_my_after=${1:$2} __holdfast_my_name __holdfast_my_text=''
  __holdfast_my_name=${__holdfast_my_before##*[![:alnum:]_.:+-]}${__holdfast_my_after%%[![:alnum:]_.:+-]*}
  if [[ $__holdfast_my_name ]]; then __holdfast_my_text=$(__holdfast_describe "$__holdfast_my_name"); fi
  if [[ $__holdfast_my_text ]]; then
    __holdfast_json __holdfast_my_text "${__holdfast_my_text:0:100000}"
    __holdfast_send "{\"type\":\"inspection\",\"id\":$__holdfast_id,\"found\":true,\"data\":{\"text/plain\":$__holdfast_my_text}}"
  else
    __holdfast_send "{\"type\":\"inspection\",\"id\":$__holdfast_id,\"found\":false,\"data\":{}}"
  fi
}

__holdfast_describe() {
  case $(type -t -- "$1") in
    function) declare -f -- "$1" ;;
    builtin | keyword) help -- "$1" ;;
    alias | file) type -- "$1" ;;
    *) declare -p -- "$1" ;;
  esac 2>/dev/null
}
