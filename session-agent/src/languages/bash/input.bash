# Input of a step that may ask for it. `read` is a function then, because a shell cannot notice that a program waits for input.

__holdfast_allow_input() {
  if builtin declare -F read >/dev/null; then return; fi
  read() { __holdfast_read "$@"; }
}

__holdfast_disallow_input() {
  if [[ $(builtin declare -f read) == *__holdfast_read* ]]; then builtin unset -f read; fi
}

# Works as the builtin `read`, but asks the agent for the line if its input is the step's own. All names begin with `__holdfast`, because
# `read` sets the user's.
__holdfast_read() {
  local __holdfast_option __holdfast_prompt='' __holdfast_password=false OPTIND=1 OPTARG
  [[ /dev/fd/0 -ef /dev/null ]] || { builtin read "$@"; return; }
  while builtin getopts :ersa:d:i:n:N:p:t:u: __holdfast_option; do
    case $__holdfast_option in
      p) __holdfast_prompt=$OPTARG ;;
      s) __holdfast_password=true ;;
      u) builtin read "$@"; return ;;
    esac
  done
  if __holdfast_ask; then builtin read "$@" <<<"$__holdfast_prompt"; else builtin read "$@"; fi
}

# Asks for a line and puts it into `__holdfast_prompt`. Fails at the end of input.
__holdfast_ask() {
  local __holdfast_my_line __holdfast_my_texts __holdfast_my_prompt
  __holdfast_json __holdfast_my_prompt "${__holdfast_prompt:0:65536}"
  __holdfast_mark m
  __holdfast_written=''
  __holdfast_send "{\"type\":\"input_request\",\"stepId\":\"$__holdfast_step\",\"prompt\":$__holdfast_my_prompt,\"password\":$__holdfast_password}"
  while __holdfast_receive; do
    [[ $__holdfast_my_line == '{"type":"input","stepId":"'"$__holdfast_step"'",'* ]] || continue
    __holdfast_prompt=${__holdfast_my_texts[0]-}
    return "$((${#__holdfast_my_texts[@]} == 0))"
  done
  return 1
}
