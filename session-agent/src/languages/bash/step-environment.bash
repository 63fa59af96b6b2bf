# Sets the environment variables of one step alone.

# Sets the variables in the arguments, each a name and then its value, and records their earlier values.
__holdfast_set_environment() {
  local name
  __holdfast_environment=()
  while (($# > 1)); do
    name=$1
    if [[ -v $name ]]; then
      __holdfast_environment+=("$name" "${!name@a}" "${!name}")
    else
      __holdfast_environment+=("$name" unset '')
    fi
    builtin export "$name=$2"
    builtin shift 2
  done
}

__holdfast_put_environment_back() {
  local at name
  for ((at = 0; at < ${#__holdfast_environment[@]}; at += 3)); do
    name=${__holdfast_environment[at]}
    if [[ ${__holdfast_environment[at + 1]} == unset ]]; then
      builtin unset -v "$name"
    else
      builtin export "$name=${__holdfast_environment[at + 2]}"
      [[ ${__holdfast_environment[at + 1]} == *x* ]] || builtin export -n "${name?}"
    fi
  done
  __holdfast_environment=()
}
