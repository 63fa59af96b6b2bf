# Saves the variables that differ from those of a new shell, as `declare -p` prints them: each on a line of its own.

__holdfast_save_variables() {
  local __holdfast_line __holdfast_name __holdfast_array
  local -A __holdfast_seen=() __holdfast_of_coprocesses=()
  builtin mapfile -t __holdfast_array <<<"$__holdfast_declared"
  __holdfast_note_coprocesses
  for __holdfast_line in "${__holdfast_array[@]}"; do
    __holdfast_name=${__holdfast_line#declare -* }
    __holdfast_name=${__holdfast_name%%=*}
    __holdfast_seen[$__holdfast_name]=1
    if [[ ${__holdfast_of_coprocesses[$__holdfast_name]-} ]]; then
      __holdfast_refuse "$__holdfast_name" 'a coprocess stays in the lost sandbox'
    elif [[ $__holdfast_name == $__holdfast_computed ]]; then
      __holdfast_check_computed
    elif [[ $__holdfast_name == - || $__holdfast_line == 'declare -a BASH_REMATCH=()' ]]; then
      :
    elif [[ $__holdfast_base_variables != *$'\n'"$__holdfast_line"$'\n'* ]]; then
      __holdfast_save_variable
    fi
  done
  builtin mapfile -t __holdfast_array <<<"$__holdfast_base_variables"
  for __holdfast_line in "${__holdfast_array[@]:1}"; do
    __holdfast_name=${__holdfast_line#declare -* }
    __holdfast_name=${__holdfast_name%%=*}
    if [[ $__holdfast_name && ! ${__holdfast_seen[$__holdfast_name]-} && $__holdfast_name != @(_|__holdfast*|COPROC|PIPESTATUS|TMOUT) ]]; then
      __holdfast_record removed "$__holdfast_name"
    fi
  done
}

# Notes the two variables of each coprocess: NAME has its descriptors, and NAME_PID is a child of the shell.
__holdfast_note_coprocesses() {
  local __holdfast_line __holdfast_name __holdfast_stat
  for __holdfast_line in "${__holdfast_array[@]}"; do
    if [[ $__holdfast_line != 'declare -'*([^ ])' '*'_PID="'+([0-9])'"' ]]; then continue; fi
    __holdfast_name=${__holdfast_line#declare -* }
    __holdfast_name=${__holdfast_name%%_PID=*}
    if [[ $__holdfast_declared != *$'\ndeclare -a'*([^ ])" $__holdfast_name="* ]]; then continue; fi
    __holdfast_stat=${__holdfast_line#*=\"}
    { builtin mapfile -t __holdfast_stat <"/proc/${__holdfast_stat%\"}/stat"; } 2>/dev/null || continue
    # The parent is the second word behind the name in parentheses.
    __holdfast_stat=${__holdfast_stat[0]##*) }
    if [[ $__holdfast_stat == ?" $__holdfast_pid "* ]]; then
      __holdfast_of_coprocesses[$__holdfast_name]=x __holdfast_of_coprocesses[${__holdfast_name}_PID]=x
    fi
  done
}

__holdfast_save_variable() {
  if [[ $__holdfast_line == 'declare -'*([^ ])A*([^ ])" $__holdfast_name="* ]]; then
    local __holdfast_pairs
    # The order of the keys, which a loop over them shows, depends on the order in which they were set.
    builtin eval "__holdfast_pairs=\"\${$__holdfast_name[@]@K}\""
    __holdfast_record variable "$__holdfast_name" "$__holdfast_line" "$__holdfast_pairs"
  else
    __holdfast_record variable "$__holdfast_name" "$__holdfast_line"
  fi
}

# A variable of bash that code has unset and set again is a plain one. Its other value would come back with the next shell.
__holdfast_check_computed() {
  local __holdfast_head=${__holdfast_line%%=*}
  case $__holdfast_name in
    RANDOM | SECONDS | HISTCMD | BASHPID | LINENO | GROUPS | DIRSTACK | SRANDOM | FUNCNAME | BASH_ALIASES | BASH_CMDS)
      if [[ $__holdfast_base_variables == *$'\n'"$__holdfast_head"[=$'\n']* ]]; then return; fi
      __holdfast_refuse "$__holdfast_name" 'it is no longer the variable of the shell itself'
      ;;
    COPROC) __holdfast_refuse COPROC 'a coprocess stays in the lost sandbox' ;;
    SHLVL)
      if [[ $__holdfast_base_variables != *$'\n'"$__holdfast_line"$'\n'* ]]; then __holdfast_save_variable; fi
      ;;
  esac
}
