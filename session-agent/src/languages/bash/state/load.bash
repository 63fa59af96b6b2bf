# Loads an archive: turns its lines into commands, and checks afterwards that the shell prints the names as it did before.

__holdfast_read_archive() {
  local __holdfast_archive __holdfast_count
  __holdfast_commands=() __holdfast_kinds=() __holdfast_words=() __holdfast_texts=() __holdfast_pairs=() __holdfast_loaded=()
  if [[ ! -e $__holdfast_path/archive ]]; then return; fi
  builtin mapfile -t __holdfast_archive <"$__holdfast_path/archive"
  __holdfast_count=$((${#__holdfast_archive[@]} - 3))
  if [[ ${__holdfast_archive[0]-} != 'holdfast-bash 1' || ${__holdfast_archive[-1]} != '{"format":1,'*hfsnap1 ||
    ${__holdfast_archive[-2]} != "end $__holdfast_count" ]]; then
    __holdfast_lost['*']='the snapshot cannot be read' __holdfast_meaning=unknown
    return
  fi
  local __holdfast_line __holdfast_fields __holdfast_first=''
  for __holdfast_line in "${__holdfast_archive[@]:1:__holdfast_count}"; do
    builtin eval "__holdfast_fields=($__holdfast_line)"
    __holdfast_move_directory
    __holdfast_plan "${__holdfast_fields[@]}"
  done
}

# Another sandbox can have the workspace in another place. The line `first directory` has the place of the one that was saved, and the lines
# after it that name directories get the new place instead.
__holdfast_move_directory() {
  local __holdfast_text=${__holdfast_fields[2]-} __holdfast_end
  case ${__holdfast_fields[1]-} in
    'first directory') builtin eval "__holdfast_first=(${__holdfast_text#builtin : })"; return ;;
    PWD | OLDPWD | 'current directory' | 'directory stack') ;;
    *) return 0 ;;
  esac
  if [[ ! $__holdfast_first ]]; then return 0; fi
  for __holdfast_end in / \" ' '; do
    __holdfast_text=${__holdfast_text//"$__holdfast_first$__holdfast_end"/"$__holdfast_base_directory$__holdfast_end"}
  done
  __holdfast_fields[2]=$__holdfast_text
}

# Plans one line of the archive: kind, name, and what belongs to it.
__holdfast_plan() {
  local __holdfast_command
  case $1 in
    lost) __holdfast_lost[$2]=$3; return ;;
    variable) __holdfast_plan_variable "$2" "$3" "${4-}" ;;
    removed) __holdfast_command="builtin unset -v $2" ;;
    function)
      # It would run instead of the builtin that the kernel means, so it comes last.
      if [[ $(builtin type -t -- "${2%()}") == @(builtin|keyword) ]]; then
        __holdfast_from[$2]=restored __holdfast_shadows=x
        __holdfast_guard "$3"
        if [[ $__holdfast_guarded ]]; then
          __holdfast_aside+=$3$'\n' __holdfast_aside_lines+="declare -f ${2%()}"$'\n'
          return
        fi
        __holdfast_deferred+=("$3")
        if [[ $4 ]]; then __holdfast_deferred+=("builtin declare -f$4 -- ${2%()}"); fi
        return
      fi
      __holdfast_command=$3$'\n'
      ;;
    'removed function') builtin printf -v __holdfast_command 'builtin unset -f -- %q' "${2%()}" ;;
    *)
      # Options change what the kernel's own commands mean, so they come last.
      if [[ $2 == @('set -o '|'set +o '|'shopt '|'enable -n')* ]]; then
        __holdfast_deferred+=("$3")
        __holdfast_from[$2]=restored
        return
      fi
      __holdfast_command=$3
      if [[ $2 == 'current directory' ]]; then __holdfast_make_directory "$3"; fi
      ;;
  esac
  __holdfast_commands+=("$__holdfast_command") __holdfast_kinds+=("$1") __holdfast_words+=("$2")
  __holdfast_texts+=("${3-}") __holdfast_pairs+=("${4-}")
}

# Has command $1, which enters a folder, create it first if it belongs to the workspace: an empty one is not among the saved files.
__holdfast_make_directory() {
  local __holdfast_wanted
  builtin eval "__holdfast_wanted=($1)"
  if [[ ${__holdfast_wanted[3]-} == "$__holdfast_base_directory"/* ]]; then
    __holdfast_wanted=${__holdfast_wanted[3]@Q}
    __holdfast_command="{ [[ -d $__holdfast_wanted ]] || builtin command -p mkdir -p -- $__holdfast_wanted; } && $1"
  fi
}

# Sets the value first and the attributes then, because some of them change a value that is set. `readonly` comes after the check.
__holdfast_plan_variable() {
  local __holdfast_attributes=${2#declare -} __holdfast_rest=${2#declare -* }
  __holdfast_attributes=${__holdfast_attributes%% *}
  __holdfast_command="{ builtin unset -n $1; builtin unset -v $1; builtin :; }; "
  case $1 in IFS | OPTIND | COMP_WORDBREAKS | SHLVL | PWD | OLDPWD) __holdfast_command="builtin declare +x $1; " ;; esac
  case $__holdfast_attributes in
    *n*) __holdfast_command+="builtin declare -$__holdfast_attributes $__holdfast_rest"; return ;;
    *a*) __holdfast_command+="builtin declare -a $1; " ;;
    *A*) __holdfast_command+="builtin declare -A $1; " ;;
    *) if [[ $__holdfast_rest != *=* ]]; then __holdfast_command+="builtin declare $1; "; fi ;;
  esac
  if [[ $__holdfast_attributes == *A* && $3 ]]; then
    __holdfast_command+="__holdfast_set_pairs $1 ${3@Q}; "
  elif [[ $__holdfast_rest == *=* ]]; then
    __holdfast_command+="$__holdfast_rest; "
  fi
  __holdfast_attributes=${__holdfast_attributes//[aAr-]/}
  if [[ $__holdfast_attributes ]]; then __holdfast_command+="builtin declare -$__holdfast_attributes $1; "; fi
  __holdfast_command+='builtin :'
}

# Sets the keys of associative array $1 last to first, because the shell puts a key before those that it has in the same place.
__holdfast_set_pairs() {
  local __holdfast_list __holdfast_at_pair __holdfast_two __holdfast_all=''
  builtin eval "__holdfast_list=($2)"
  for ((__holdfast_at_pair = ${#__holdfast_list[@]} - 2; __holdfast_at_pair >= 0; __holdfast_at_pair -= 2)); do
    builtin printf -v __holdfast_two '[%q]=%q ' "${__holdfast_list[@]:__holdfast_at_pair:2}"
    __holdfast_all+=$__holdfast_two
  done
  builtin eval "$1=($__holdfast_all)"
}

__holdfast_next_command() {
  if ((++__holdfast_at >= ${#__holdfast_commands[@]})); then return 1; fi
  __holdfast_command=${__holdfast_commands[__holdfast_at]}
}

__holdfast_check_loaded() {
  local __holdfast_each __holdfast_line __holdfast_array
  local -A __holdfast_now=()
  builtin mapfile -t __holdfast_array <<<"$(builtin declare -p)"
  for __holdfast_line in "${__holdfast_array[@]}"; do
    __holdfast_each=${__holdfast_line#declare -* }
    __holdfast_now[${__holdfast_each%%=*}]=$__holdfast_line
  done
  for __holdfast_each in "${!__holdfast_words[@]}"; do
    if __holdfast_is_loaded "$__holdfast_each" "${__holdfast_words[__holdfast_each]}" "${__holdfast_texts[__holdfast_each]}"; then
      if [[ ${__holdfast_kinds[__holdfast_each]} != hidden ]]; then __holdfast_from[${__holdfast_words[__holdfast_each]}]=restored; fi
    else
      __holdfast_lose "${__holdfast_words[__holdfast_each]}" 'it could not be set as it was'
    fi
  done
  builtin unset -v __holdfast_commands __holdfast_texts __holdfast_pairs
  __holdfast_commands=()
}

# Whether entry $1 with name $2 and text $3 has come back. Sets the attributes that would have stood in the way.
__holdfast_is_loaded() {
  case ${__holdfast_kinds[$1]} in
    variable)
      local __holdfast_attributes=${3#declare -} __holdfast_wanted
      __holdfast_attributes=${__holdfast_attributes%% *}
      if [[ $__holdfast_attributes == *n* ]]; then [[ ${__holdfast_now[$2]-} == "$3" ]]; return; fi
      __holdfast_wanted=${__holdfast_attributes/r/}
      [[ ${__holdfast_now[$2]-} == "declare -${__holdfast_wanted:--} ${3#declare -* }" ]] || __holdfast_has_pairs "$@" || return 1
      if [[ $__holdfast_attributes == *r* ]]; then builtin declare -gr "$2"; fi
      ;;
    removed) [[ ! ${__holdfast_now[$2]-} ]] ;;
    function)
      [[ $(builtin declare -f -- "${2%()}") == "$3" ]] || return 1
      if [[ ${__holdfast_pairs[$1]} ]]; then builtin declare "-f${__holdfast_pairs[$1]}" -- "${2%()}"; fi
      ;;
    'removed function') ! builtin declare -F -- "${2%()}" >/dev/null ;;
    *) [[ ${__holdfast_loaded[$1]-} ]] ;;
  esac
}

# Whether associative array $2 of entry $1 has the keys and values, though in another order. bash leaves the order of many keys open.
__holdfast_has_pairs() {
  local __holdfast_list __holdfast_at_pair
  if [[ ! ${__holdfast_pairs[$1]} || ${__holdfast_now[$2]-} != "declare -${__holdfast_wanted:--} $2="* ]]; then return 1; fi
  local -n __holdfast_map=$2
  builtin eval "__holdfast_list=(${__holdfast_pairs[$1]})"
  if ((${#__holdfast_list[@]} <= 512 || ${#__holdfast_list[@]} != 2 * ${#__holdfast_map[@]})); then return 1; fi
  for ((__holdfast_at_pair = 0; __holdfast_at_pair < ${#__holdfast_list[@]}; __holdfast_at_pair += 2)); do
    if [[ ${__holdfast_list[__holdfast_at_pair]} == *[!a-zA-Z0-9_./:-]* ]]; then return 1; fi
    [[ ${__holdfast_map[${__holdfast_list[__holdfast_at_pair]}]-} == "${__holdfast_list[__holdfast_at_pair + 1]}" ]] || return 1
  done
}
