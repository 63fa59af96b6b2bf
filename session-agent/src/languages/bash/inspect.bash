# Describes the name at the cursor: the declaration of a variable or function, the help of a builtin, the file of a command.

# $1 is the code, $2 the cursor in characters.
__holdfast_inspect() {
  local before=${1:0:$2} after=${1:$2} name text=''
  name=${before##*[![:alnum:]_.:+-]}${after%%[![:alnum:]_.:+-]*}
  if [[ $name ]]; then text=$(__holdfast_describe "$name"); fi
  if [[ $text ]]; then
    __holdfast_json text "${text:0:100000}"
    __holdfast_send "{\"type\":\"inspection\",\"id\":$__holdfast_id,\"found\":true,\"data\":{\"text/plain\":$text}}"
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
