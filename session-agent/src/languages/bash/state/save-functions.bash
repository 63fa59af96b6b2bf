# Saves the functions as `declare -f` prints them, with their attributes.

__holdfast_save_functions() {
  local __holdfast_line __holdfast_name __holdfast_body __holdfast_array __holdfast_at
  local -A __holdfast_seen=()
  builtin mapfile -t __holdfast_array <<<"$__holdfast_declared_functions"
  for __holdfast_line in "${__holdfast_array[@]}"; do
    __holdfast_name=${__holdfast_line#declare -* }
    if [[ ! $__holdfast_name || $__holdfast_name == __holdfast* ]]; then continue; fi
    __holdfast_seen[$__holdfast_name]=1
    __holdfast_body=${__holdfast_shadowing["$__holdfast_name"]-$(builtin declare -f -- "$__holdfast_name")}
    # The kernel's own, or that of a step's input.
    if [[ $__holdfast_name == exit && $__holdfast_body == *__holdfast_exit* || $__holdfast_name == read && $__holdfast_body == *__holdfast_read* ]]; then continue; fi
    __holdfast_line=${__holdfast_line%" $__holdfast_name"}
    # No step of this shell has it if it came with an earlier snapshot.
    __holdfast_note_code "$__holdfast_body"
    if [[ ! $__holdfast_body ]]; then
      __holdfast_refuse "$__holdfast_name()" 'the shell does not print its code'
    else
      __holdfast_record function "$__holdfast_name()" "$__holdfast_body" "${__holdfast_line#declare -f}"
    fi
  done
  builtin mapfile -t __holdfast_array <<<"$__holdfast_base_functions"
  for __holdfast_name in "${__holdfast_array[@]}"; do
    if [[ $__holdfast_name && $__holdfast_name != @(exit|__holdfast*) && ! ${__holdfast_seen[$__holdfast_name]-} ]]; then
      __holdfast_record 'removed function' "$__holdfast_name()"
    fi
  done
}
