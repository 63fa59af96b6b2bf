# Sets the environment variables of one step alone.

# Sets the variables in the arguments, each a name and then its value, and records their earlier values.
__holdfast_set_environment() {
  local __holdfast_my_name
  __holdfast_environment=()
  while (($# > 1)); do
    __holdfast_my_name=$1
    if [[ -v $__holdfast_my_name ]]; then
      __holdfast_environment+=("$__holdfast_my_name" "${!__holdfast_my_name@a}" "${!__holdfast_my_name}")
    else
      __holdfast_environment+=("$__holdfast_my_name" unset '')
    fi
    builtin export "$__holdfast_my_name=$2"
    builtin shift 2
  done
}

__holdfast_put_environment_back() {
  local __holdfast_my_at __holdfast_my_name
  for ((__holdfast_my_at = 0; __holdfast_my_at < ${#__holdfast_environment[@]}; __holdfast_my_at += 3)); do
    __holdfast_my_name=${__holdfast_environment[__holdfast_my_at]}
    if [[ ${__holdfast_environment[__holdfast_my_at + 1]} == unset ]]; then
      builtin unset -v "$__holdfast_my_name"
    else
      builtin export "$__holdfast_my_name=${__holdfast_environment[__holdfast_my_at + 2]}"
      [[ ${__holdfast_environment[__holdfast_my_at + 1]} == *x* ]] || builtin export -n "${__holdfast_my_name?}"
    fi
  done
  __holdfast_environment=()
}
