# The knowledge of each name during a recovery: its source, or the reason why it is lost.

# Takes name $1 away, for reason $2. A name of the new sandbox's environment has its value there again. A read-only one cannot have changed.
__holdfast_lose() {
  if __holdfast_is_fixed "$1"; then return; fi
  case $1 in
    *'()')
      builtin unset -f -- "${1%()}" 2>/dev/null
      ;;
    'alias '*) builtin unalias -- "${1#alias }" 2>/dev/null ;;
    'trap ERR') __holdfast_user_err='' ;;
    'trap EXIT') __holdfast_user_exit='' ;;
    'trap SIGINT' | 'trap SIGCHLD' | 'trap DEBUG' | 'trap RETURN') __holdfast_traps='' ;;
    'trap '*) builtin trap - "${1#trap }" 2>/dev/null ;;
    umask) builtin umask "$__holdfast_base_umask" ;;
    'current directory') builtin cd -- "$__holdfast_base_directory" 2>/dev/null ;;
    'directory stack') builtin dirs -c ;;
    completions) builtin complete -r ;;
    'positional parameters') __holdfast_deferred+=('builtin set --') ;;
    'PS0, PS1 and TMOUT') __holdfast_prompt_settings=() ;;
    'set -'[!o]*) __holdfast_options='' __holdfast_traces='' ;;
    *[!a-zA-Z0-9_]*) ;;
    *)
      # Nothing that is known here changes the attributes of what `cd` sets.
      if [[ $1 != @(PWD|OLDPWD) && $(builtin declare -p "$1" 2>/dev/null) != @(|'declare -- '*) ]]; then __holdfast_attributes_lost[$1]=x; fi
      __holdfast_remove_variable "$1"
      ;;
  esac
  builtin unset -v '__holdfast_from[$1]'
  __holdfast_lost[$1]=$2
}

__holdfast_remove_variable() {
  local __holdfast_head __holdfast_rest
  builtin unset -n "$1" 2>/dev/null
  builtin unset -v "$1" 2>/dev/null
  for __holdfast_head in -- -x -i; do
    if [[ $__holdfast_base_variables != *$'\n'"declare $__holdfast_head $1="* ]]; then continue; fi
    __holdfast_rest=${__holdfast_base_variables#*$'\n'"declare $__holdfast_head $1="}
    builtin eval "$1=${__holdfast_rest%%$'\n'*}"
    if [[ $__holdfast_head == -x ]]; then builtin export "$1"; fi
  done
}

# Whether name $1 is a variable or function that is read-only, which no step could change.
__holdfast_is_fixed() {
  case $1 in
    *'()') [[ $(builtin declare -F) == *"declare -f"*([^ ])r*([^ ])" ${1%()}"?($'\n'*) ]] ;;
    *[!a-zA-Z0-9_]*) return 1 ;;
    *) [[ $(builtin declare -p "$1" 2>/dev/null) == 'declare -'*([^ ])r*([^ ])' '* ]] ;;
  esac
}

__holdfast_have() {
  builtin unset -v '__holdfast_lost[$1]'
  __holdfast_from[$1]=replayed
}

# Code ran that can change any name: nothing stays but what is read-only.
__holdfast_lose_everything() {
  local __holdfast_each
  for __holdfast_each in "${!__holdfast_from[@]}"; do __holdfast_lose "$__holdfast_each" "$1"; done
  __holdfast_remove_others
  __holdfast_reset_settings
  builtin cd -- "$__holdfast_base_directory" 2>/dev/null
  __holdfast_lost['*']=$1
  __holdfast_meaning=unknown
}

# The settings are those of a new shell again.
__holdfast_reset_settings() {
  local __holdfast_each __holdfast_flags_now __holdfast_shopt_now __holdfast_shopt_then
  # `eval` splits the lists, as the user's separators may be read-only.
  builtin eval "__holdfast_flags_now=(${__holdfast_flags//:/ }) __holdfast_shopt_now=(${BASHOPTS//:/ }) __holdfast_shopt_then=(${__holdfast_base_shopt//:/ })"
  builtin unalias -a
  builtin complete -r
  builtin umask "$__holdfast_base_umask"
  __holdfast_user_err='' __holdfast_user_exit='' __holdfast_traps='' __holdfast_options='' __holdfast_traces=''
  for __holdfast_each in {1..64}; do
    if ((__holdfast_each != 2)); then builtin trap - "$__holdfast_each" 2>/dev/null; fi
  done
  __holdfast_deferred=('builtin set --')
  for __holdfast_each in "${__holdfast_flags_now[@]}"; do
    if [[ :$__holdfast_base_options: != *":$__holdfast_each:"* ]]; then __holdfast_deferred+=("builtin set +o $__holdfast_each"); fi
  done
  for __holdfast_each in "${__holdfast_shopt_now[@]}"; do
    if [[ :$__holdfast_base_shopt: != *":$__holdfast_each:"* ]]; then __holdfast_deferred+=("builtin shopt -u $__holdfast_each"); fi
  done
  for __holdfast_each in "${__holdfast_shopt_then[@]}"; do __holdfast_deferred+=("builtin shopt -s $__holdfast_each"); done
}

# Removes variables and functions that are neither in a list nor those of a new shell, and brings back those that a step had removed.
__holdfast_remove_others() {
  local __holdfast_line __holdfast_array __holdfast_each
  builtin mapfile -t __holdfast_array <<<"$(builtin declare -p)"
  for __holdfast_line in "${__holdfast_array[@]}"; do
    __holdfast_each=${__holdfast_line#declare -* }
    __holdfast_each=${__holdfast_each%%=*}
    if [[ $__holdfast_each == $__holdfast_computed || $__holdfast_each == @(-|OPTIND|BASH_REMATCH|PWD|OLDPWD) ]]; then continue; fi
    if [[ $__holdfast_base_variables == *$'\n'"$__holdfast_line"$'\n'* ]] || __holdfast_is_fixed "$__holdfast_each"; then continue; fi
    __holdfast_remove_variable "$__holdfast_each"
  done
  builtin mapfile -t __holdfast_array <<<"$(builtin compgen -A function)"
  for __holdfast_each in "${__holdfast_array[@]}"; do
    if [[ $__holdfast_each == @(__holdfast*|exit) || $'\n'$__holdfast_base_functions$'\n' == *$'\n'"$__holdfast_each"$'\n'* ]]; then continue; fi
    if ! __holdfast_is_fixed "$__holdfast_each()"; then builtin unset -f -- "$__holdfast_each"; fi
  done
}

# Sets `__holdfast_code` to the commands that set options and positional parameters, if there are any. They come last.
__holdfast_take_deferred() {
  if ((${#__holdfast_deferred[@]} == 0)); then return 1; fi
  builtin printf -v __holdfast_code '%s; ' "${__holdfast_deferred[@]}"
  __holdfast_code="{ $__holdfast_code} 2>/dev/null"
  __holdfast_deferred=()
}
