# Saves the shell's settings, each as the command that sets it again: the directory, options, aliases, positional parameters, limits.

__holdfast_setting() {
  __holdfast_record setting "$1" "$2"
}

# Sets `__holdfast_code` to the words, quoted.
__holdfast_quote() {
  builtin printf -v __holdfast_code '%q ' "$@"
}

# Comes before the variables, because the command sets some of them.
__holdfast_save_directory() {
  local __holdfast_path __holdfast_at __holdfast_array
  __holdfast_path=$(builtin pwd && builtin echo x)
  __holdfast_path=${__holdfast_path%$'\n'x}
  if [[ $__holdfast_path != "$__holdfast_base_directory" || ${OLDPWD+x} || ${#DIRSTACK[@]} != 1 ]]; then
    __holdfast_quote builtin : "$__holdfast_base_directory"
    __holdfast_record hidden 'first directory' "$__holdfast_code"
  fi
  if [[ $__holdfast_path != "$__holdfast_base_directory" ]]; then
    __holdfast_quote builtin cd -- "$__holdfast_path"
    __holdfast_setting 'current directory' "$__holdfast_code"
  fi
  if [[ $__holdfast_declared != *$'\ndeclare -a DIRSTACK='* ]]; then return; fi
  for ((__holdfast_at = ${#DIRSTACK[@]} - 1; __holdfast_at > 0; __holdfast_at--)); do
    __holdfast_quote builtin pushd -n -- "${DIRSTACK[__holdfast_at]}"
    __holdfast_array+="${__holdfast_array:+&& }$__holdfast_code"
  done
  if [[ $__holdfast_array ]]; then __holdfast_setting 'directory stack' "$__holdfast_array"; fi
}

__holdfast_save_settings() {
  local __holdfast_name __holdfast_names __holdfast_value
  if (($#)); then
    __holdfast_quote builtin set -- "$@"
    __holdfast_setting 'positional parameters' "$__holdfast_code"
  fi
  __holdfast_value=$(builtin umask)
  if [[ $__holdfast_value != "$__holdfast_base_umask" ]]; then __holdfast_setting umask "builtin umask $__holdfast_value"; fi
  __holdfast_save_limits
  __holdfast_save_prompts
  builtin mapfile -t __holdfast_names <<<"$(builtin compgen -a)"
  for __holdfast_name in "${__holdfast_names[@]}"; do
    if [[ $__holdfast_name ]]; then __holdfast_setting "alias $__holdfast_name" "builtin $(builtin alias -- "$__holdfast_name")"; fi
  done
  __holdfast_save_special
  __holdfast_save_traps
  __holdfast_save_completions
  if [[ $__holdfast_options$__holdfast_traces ]]; then
    __holdfast_setting "set -$__holdfast_options$__holdfast_traces" "__holdfast_options=$__holdfast_options __holdfast_traces=$__holdfast_traces"
  fi
  __holdfast_save_options "$__holdfast_shopt" "$__holdfast_base_shopt" shopt '-s ' '-u '
  __holdfast_save_options "$__holdfast_flags" "$__holdfast_base_options" set '-o ' '+o '
}

# Saves the options that are only in one of the lists $1, of now, and $2, of a new shell. $4 and $5 turn one on and off.
__holdfast_save_options() {
  local __holdfast_rest __holdfast_now __holdfast_then
  # `eval` splits the lists, as the user's separators may be read-only.
  builtin eval "__holdfast_now=(${1//:/ }) __holdfast_then=(${2//:/ })"
  for __holdfast_rest in "${__holdfast_now[@]}"; do
    # These are in `__holdfast_options` and `__holdfast_traces`, and the kernel's own are among them.
    case $__holdfast_rest in errtrace | functrace | keyword | verbose | xtrace) continue ;; esac
    if [[ :$2: != *":$__holdfast_rest:"* ]]; then __holdfast_setting "$3 $4$__holdfast_rest" "builtin $3 $4$__holdfast_rest"; fi
  done
  for __holdfast_rest in "${__holdfast_then[@]}"; do
    if [[ :$1: != *":$__holdfast_rest:"* ]]; then __holdfast_setting "$3 $5$__holdfast_rest" "builtin $3 $5$__holdfast_rest"; fi
  done
}

__holdfast_save_limits() {
  local __holdfast_line __holdfast_array __holdfast_letter
  builtin mapfile -t __holdfast_array <<<"$(builtin ulimit -Sa)"
  for __holdfast_line in "${__holdfast_array[@]}"; do
    if [[ $'\n'$__holdfast_base_ulimit$'\n' == *$'\n'"$__holdfast_line"$'\n'* ]]; then continue; fi
    __holdfast_letter=${__holdfast_line%%)*}
    __holdfast_letter=${__holdfast_letter: -1}
    __holdfast_setting "ulimit -S$__holdfast_letter" "builtin ulimit -S$__holdfast_letter ${__holdfast_line##* }"
  done
}

# PS0, PS1, TMOUT and FUNCNEST are empty between the steps, as end-step.bash has put them aside. Those that are read-only have stayed.
__holdfast_save_prompts() {
  local __holdfast_all __holdfast_line
  builtin printf -v __holdfast_all %s "${__holdfast_prompt_settings[@]}"
  if [[ $__holdfast_all != *[!\ ]* ]]; then return; fi
  __holdfast_quote "${__holdfast_prompt_settings[@]}"
  local __holdfast_exported=''
  if [[ $__holdfast_declared == *$'\ndeclare -x PS1='* ]]; then __holdfast_exported='; builtin export PS1'; fi
  builtin mapfile -t __holdfast_all <<<"$__holdfast_declared"
  for __holdfast_line in "${__holdfast_all[@]}"; do
    if [[ $__holdfast_line == 'declare -'*([^ ])r*([^ ])' '@(PS0|PS1|TMOUT|FUNCNEST)=* ]]; then __holdfast_exported+="; builtin $__holdfast_line"; fi
  done
  __holdfast_setting 'PS0, PS1 and TMOUT' "__holdfast_prompt_settings=($__holdfast_code)$__holdfast_exported"
}
