# Writes a snapshot. A subshell of the kernel sources this and the files that it names, so that nothing of them stays.

builtin source "$__holdfast_home/state/archive.bash"
builtin source "$__holdfast_home/state/save-variables.bash"
builtin source "$__holdfast_home/state/save-functions.bash"
builtin source "$__holdfast_home/state/save-settings.bash"
builtin source "$__holdfast_home/state/save-shell.bash"

# $@ are the shell's positional parameters.
__holdfast_write_snapshot() {
  # Read first, as the kernel's own commands below need other options and variables.
  __holdfast_declared=$(builtin declare -p) __holdfast_declared_functions=$(builtin declare -F)
  __holdfast_disabled=$(builtin enable -n) __holdfast_background=$!
  __holdfast_note_descriptors
  # The user's separators must not change how the kernel takes text apart. They are noted already.
  builtin unset -v IFS
  # Functions with the names of builtins would run instead of them. Some are put aside already (guard.bash).
  builtin declare -A __holdfast_shadowing
  __holdfast_declared_functions+=$'\n'${__holdfast_aside_lines%$'\n'}
  builtin shopt -u expand_aliases
  builtin eval "$__holdfast_aside"
  builtin mapfile -t __holdfast_builtins <<<"$(builtin compgen -b)"
  for __holdfast_name in "${__holdfast_builtins[@]}"; do
    if builtin declare -F -- "$__holdfast_name" >/dev/null; then
      __holdfast_shadowing["$__holdfast_name"]=$(builtin declare -f -- "$__holdfast_name")
      builtin unset -f -- "$__holdfast_name"
    fi
  done
  builtin enable printf declare read mapfile compgen alias local shopt set umask ulimit dirs kill unset
  builtin shopt -u nocasematch nullglob failglob extdebug localvar_unset compat31 patsub_replacement 2>/dev/null
  builtin shopt -s extglob
  builtin shopt -u nocaseglob
  __holdfast_close_others
  __holdfast_begin_archive
  __holdfast_save_directory
  __holdfast_save_variables
  __holdfast_save_functions
  __holdfast_save_settings "$@"
  __holdfast_refuse_others
  __holdfast_end_archive
}

# The user's processes must not find the pipes and files of the context open longer than the context has them.
__holdfast_close_others() {
  local __holdfast_fd
  # `builtin exec` would open them again.
  if builtin declare -F exec >/dev/null; then return; fi
  for __holdfast_fd in /proc/self/fd/*; do
    __holdfast_fd=${__holdfast_fd##*/}
    if [[ $__holdfast_fd != [0123] && $__holdfast_fd != *[!0-9]* ]]; then builtin eval "exec $__holdfast_fd>&-"; fi
  done
}
