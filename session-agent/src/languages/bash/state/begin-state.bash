# Snapshots and recoveries: notes the state of a new shell, from which a snapshot says what steps have changed, and handles both requests.

# Variables that bash itself computes, the kernel's own, and those that only tell of the last command.
readonly __holdfast_computed='@(_|__holdfast*|BASH|BASHOPTS|BASHPID|BASH_ALIASES|BASH_ARG[CV]|BASH_ARGV0|BASH_CMDS|BASH_COMMAND|BASH_LINENO|'\
'BASH_MONOSECONDS|BASH_SOURCE|BASH_SUBSHELL|BASH_TRAPSIG|BASH_VERSINFO|BASH_VERSION|COPROC|DIRSTACK|EPOCHREALTIME|EPOCHSECONDS|EUID|FUNCNAME|GROUPS|'\
'HISTCMD|LINENO|PIPESTATUS|PPID|PS[01]|RANDOM|SECONDS|SHELLOPTS|SHLVL|SRANDOM|TMOUT|UID)'

# Read once, it is an integer for `declare -p` as well, which tells it from a variable of code with its name.
builtin : "$SECONDS"
__holdfast_base_variables=$(builtin declare -p) __holdfast_base_functions=$(builtin compgen -A function)
readonly __holdfast_base_variables=$'\n'$__holdfast_base_variables$'\n' __holdfast_base_functions
readonly __holdfast_base_options=$SHELLOPTS __holdfast_base_shopt=$BASHOPTS __holdfast_base_directory=$PWD
__holdfast_base_umask=$(builtin umask) __holdfast_base_ulimit=$(builtin ulimit -Sa)
readonly __holdfast_base_umask __holdfast_base_ulimit
__holdfast_writer='' __holdfast_replaying='' __holdfast_recovery=''

# Whether code of a step has set the random generator, or may have started a process in the background. The shell does not show either afterwards.
__holdfast_sets_random='' __holdfast_starts_processes=''
readonly __holdfast_re_sets_random='(^|[^$[:alnum:]_{])RANDOM[[:space:]]*([-+*/%&|^<>]*=([^=]|$)|[+][+]|--)|([+][+]|--)RANDOM|(-v|read|for)[[:space:]]([^;]*[[:space:]])?RANDOM([^[:alnum:]_]|$)'
readonly __holdfast_re_starts_processes='(^|[^&<>|])&([^&>]|$)|(^|[^[:alnum:]_])(coproc|eval|source|bg|[.])([[:space:]]|$)'
__holdfast_note_code() {
  if [[ $1 == *RANDOM* ]] && __holdfast_matches "$1" "$__holdfast_re_sets_random"; then __holdfast_sets_random=x; fi
  if [[ ! $__holdfast_starts_processes ]] && __holdfast_matches "$1" "$__holdfast_re_starts_processes"; then __holdfast_starts_processes=x; fi
}

# Runs at the shell's top level, as the variables of a function would hide the user's. Its arguments are those of the shell.
readonly __holdfast_snapshot_code='__holdfast_take_snapshot "$@"'
__holdfast_take_snapshot() {
  builtin local -
  __holdfast_flags=$SHELLOPTS __holdfast_shopt=$BASHOPTS
  builtin set +aefnuCETk +o posix
  # The writer is a child of a child, so that neither `jobs`, `wait` nor `$!` knows it.
  __holdfast_writer=$(
    # bash reads these lines one by one, so aliases act on the first alone.
    \builtin shopt -u expand_aliases
    builtin source "$__holdfast_home/state/write-snapshot.bash" 2>/dev/null
    __holdfast_archived=''
    __holdfast_running=$(builtin jobs -r)
    __holdfast_note_signals
    { __holdfast_write_snapshot "$@"; __holdfast_say_failure; } </dev/null >/dev/null 2>&1 3>"$__holdfast_path" &
    builtin echo "$! $(__holdfast_started "$!")"
  )
  # A trap on CHLD would notice the end of the writer.
  if [[ $__holdfast_traps == *CHLD* ]]; then __holdfast_await_writer; fi
  __holdfast_send "{\"type\":\"snapshot\",\"id\":$__holdfast_id}"
}

# Says why the archive is not complete, if its writer has left it in the middle.
__holdfast_say_failure() {
  if [[ $__holdfast_archived ]]; then return; fi
  builtin printf '\nfailed: %s\n' 'settings or functions of the code keep the shell from listing its state' >&3
}

# Runs the commands of the archive, at the shell's top level.
readonly __holdfast_load_code='while __holdfast_next_command; do \builtin eval "$__holdfast_command" && __holdfast_loaded[__holdfast_at]=1; done 2>/dev/null'

# Prints when process $1 started, or nothing if it has ended. Numbers of processes are used again, but not with the same start.
__holdfast_started() {
  builtin local __holdfast_stat=''
  { builtin mapfile -t __holdfast_stat <"/proc/$1/stat"; } 2>/dev/null || return 0
  # Behind the name in parentheses, the state is the first word and the start the 20th.
  __holdfast_stat=${__holdfast_stat[0]##*) }
  if [[ $__holdfast_stat == [ZX]* ]]; then return 0; fi
  builtin eval "builtin set -- $__holdfast_stat"
  builtin echo "${20}"
}

__holdfast_writer_lives() {
  builtin local -
  if [[ ! $__holdfast_writer ]]; then return 1; fi
  if [[ $(__holdfast_started "${__holdfast_writer% *}") == "${__holdfast_writer#* }" && $__holdfast_writer != *' ' ]]; then return 0; fi
  __holdfast_writer=''
  return 1
}

# Waits for a snapshot that is still being written, as a step's trap on CHLD would notice its end.
__holdfast_await_writer() {
  while __holdfast_writer_lives; do : "$(\builtin read -r -t 0.005 <> <(:))"; done
}
