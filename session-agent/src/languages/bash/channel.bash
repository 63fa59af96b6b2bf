# Messages with the agent. The kernel sends JSON, one message a line; kernel-process/messages/line-codec.ts describes the messages that it gets.

__holdfast_send() {
  # A step that runs again tells nothing.
  if [[ ${__holdfast_replaying-} ]]; then return 0; fi
  builtin printf '%s\n' "$1" >&"$__holdfast_channel"
}

# Reads the next message: its line into `line`, its texts into the array `texts`. Fails when the agent is gone. TMOUT is the user's.
__holdfast_receive() {
  local IFS=$' \t\n' TMOUT=0 __holdfast_my_count __holdfast_my_text
  __holdfast_my_texts=()
  # A status above 128 tells that a TMOUT that is read-only was over.
  until builtin read -r -u "$__holdfast_channel" __holdfast_my_line; do (($? > 128)) || return 1; done
  # Otherwise this is a text whose message an interrupt has cut off.
  [[ $__holdfast_my_line == '{'* ]] || return 0
  __holdfast_my_count=${__holdfast_my_line##*'"texts":'}
  for ((__holdfast_my_count = ${__holdfast_my_count%'}'}; __holdfast_my_count > 0; __holdfast_my_count--)); do
    builtin read -r -u "$__holdfast_channel" __holdfast_my_text || return 1
    builtin printf -v __holdfast_my_text %b "${__holdfast_my_text:1:-1}"
    __holdfast_my_texts+=("$__holdfast_my_text")
  done
}

# Whether the agent has interrupted step $1. Reads all messages in the channel, since no others come while a step runs.
__holdfast_has_interrupt() {
  local __holdfast_my_line __holdfast_my_texts __holdfast_my_found=1
  while builtin read -t 0 -u "$__holdfast_channel" && __holdfast_receive; do
    # A read-only IFS can take the brace from its end.
    if [[ ${__holdfast_my_line%'}'} == '{"type":"interrupt","number":'"$1"',"texts":0' ]]; then __holdfast_my_found=0; fi
  done
  return "$__holdfast_my_found"
}

# Sets variable $3 to the value of field $2 of message $1: a number, a word or a string without quotation marks.
__holdfast_field() {
  local __holdfast_rest=''
  if [[ $1 == *"\"$2\":"* ]]; then __holdfast_rest=${1#*"\"$2\":"}; fi
  __holdfast_rest=${__holdfast_rest%%,\"*}
  __holdfast_rest=${__holdfast_rest#\"}
  builtin printf -v "$3" %b "${__holdfast_rest%\"}"
}

# Sets variable $1 to text $2 as a JSON string. JSON strings may not contain control characters (RFC 8259).
__holdfast_json() {
  local __holdfast_raw=$2 __holdfast_code __holdfast_digits __holdfast_character
  __holdfast_raw=${__holdfast_raw//\\/\\\\}
  __holdfast_raw=${__holdfast_raw//\"/\\\"}
  __holdfast_raw=${__holdfast_raw//$'\n'/\\n}
  __holdfast_raw=${__holdfast_raw//$'\t'/\\t}
  if [[ $__holdfast_raw == *[[:cntrl:]]* ]]; then
    for ((__holdfast_code = 1; __holdfast_code < 32; __holdfast_code++)); do
      builtin printf -v __holdfast_digits %02x "$__holdfast_code"
      builtin printf -v __holdfast_character %b "\\x$__holdfast_digits"
      __holdfast_raw=${__holdfast_raw//"$__holdfast_character"/"\\u00$__holdfast_digits"}
    done
  fi
  builtin printf -v "$1" '"%s"' "$__holdfast_raw"
}
