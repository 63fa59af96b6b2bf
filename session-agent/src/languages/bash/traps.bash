# The kernel's own traps in a step, and the user's. The kernel sets ERR and EXIT (exit.bash) in each step and DEBUG (order.bash) in some.
# Meanwhile the user's texts for ERR and EXIT are in variables, from which the kernel's traps run them.

# The operators give the user's text its `$?`, and keep -e from ending the shell meanwhile.
readonly __holdfast_on_error='{ __holdfast_fails "$?" "$_"; } 2>/dev/null || { \builtin eval "$__holdfast_user_err" || \builtin :; }; '\
'{ __holdfast_must_exit; } 2>/dev/null && __holdfast_exit "$__holdfast_failed"'
# Without -e, only a signal ends the shell in such a way.
readonly __holdfast_on_exit='case $- in *e*) __holdfast_exit ;; *) \builtin eval "$__holdfast_user_exit" ;; esac'

# Both as `trap -p` prints them.
__holdfast_own_err=$(builtin trap "$__holdfast_on_error" ERR && builtin trap -p ERR)
__holdfast_own_exit=$(builtin trap "$__holdfast_on_exit" EXIT && builtin trap -p EXIT && builtin trap - EXIT)
readonly __holdfast_own_err __holdfast_own_exit

# `traps` are the user's other traps, as commands. `traces` says which of -E and -T the user has set.
__holdfast_user_err='' __holdfast_user_exit='' __holdfast_traps='' __holdfast_traces='' __holdfast_interrupt_trap=''

# Reads the traps at the end of a step: those on ERR, on EXIT and the others, between bytes that are in no text.
readonly __holdfast_between=$'\1'
readonly __holdfast_list_traps='__holdfast_traps=$(\builtin trap -p ERR; \builtin printf %s "$__holdfast_between"; '\
'\builtin trap -p EXIT; \builtin printf %s "$__holdfast_between"; \builtin trap -p INT CHLD DEBUG RETURN)'

# Sets the traps of a step, also for its functions.
__holdfast_set_traps() {
  builtin eval "$__holdfast_traps"
  builtin set -E
  builtin trap "$__holdfast_on_error" ERR
  builtin trap "$__holdfast_on_exit" EXIT
}

# Sorts the traps that a step has left.
__holdfast_sort_traps() {
  local __holdfast_my_rest=${__holdfast_traps#*"$__holdfast_between"}
  __holdfast_note_trap "${__holdfast_traps%%"$__holdfast_between"*}" "$__holdfast_own_err" __holdfast_user_err
  __holdfast_note_trap "${__holdfast_my_rest%%"$__holdfast_between"*}" "$__holdfast_own_exit" __holdfast_user_exit
  __holdfast_traps=${__holdfast_my_rest#*"$__holdfast_between"}$__holdfast_interrupt_trap
  __holdfast_interrupt_trap=''
  if [[ $__holdfast_watches ]]; then __holdfast_traps=${__holdfast_traps/"$__holdfast_own_debug"/}; fi
}

# Keeps of -E and -T what the user has set, and takes them out of the options. The kernel's own -E hides the user's, so the code tells.
__holdfast_note_traces() {
  local __holdfast_my_traces=''
  if [[ $__holdfast_options == *E* && $__holdfast_traces == *E* ]]; then __holdfast_my_traces=E; fi
  if [[ $__holdfast_options == *T* && (! $__holdfast_watches || $__holdfast_traces == *T*) ]]; then __holdfast_my_traces+=T; fi
  __holdfast_traces=$__holdfast_my_traces __holdfast_options=${__holdfast_options//[ET]/}
}

# Takes the traps on ERR and EXIT over from the user's code, if it has just set any.
__holdfast_take_traps() {
  builtin local - __holdfast_my_line
  builtin set +aekux
  __holdfast_my_line=$(builtin trap -p EXIT)
  __holdfast_note_trap "$__holdfast_my_line" "$__holdfast_own_exit" __holdfast_user_exit
  builtin trap "$__holdfast_on_exit" EXIT
  if [[ ! -o errtrace ]]; then builtin return; fi
  __holdfast_my_line=$(builtin trap -p ERR)
  __holdfast_note_trap "$__holdfast_my_line" "$__holdfast_own_err" __holdfast_user_err
  builtin trap "$__holdfast_on_error" ERR
}

# Sets variable $3 to the text of the trap in $1, a line of `trap -p` or nothing, if that is not the kernel's trap $2.
__holdfast_note_trap() {
  builtin local __holdfast_name
  __holdfast_name=$3
  if [[ ${1%$'\n'} == "$2" ]]; then builtin return; fi
  builtin eval "builtin set -- $1"
  builtin printf -v "$__holdfast_name" %s "${3-}"
}

# Notes the status $1 of a command that has failed. Returns it if the user's trap on ERR is to run: in functions and subshells only
# under the user's own `set -E`.
__holdfast_fails() {
  __holdfast_failed=$1
  if [[ ! $__holdfast_user_err || ${FUNCNAME[1]-} == __holdfast* ]]; then builtin return 0; fi
  if [[ $__holdfast_traces != *E* ]] && { ((BASHPID != __holdfast_pid)) || __holdfast_is_in_function; }; then builtin return 0; fi
  builtin return "$1"
}

__holdfast_is_in_function() {
  builtin local __holdfast_my_name
  for __holdfast_my_name in "${FUNCNAME[@]:2}"; do
    if [[ $__holdfast_my_name != source ]]; then builtin return 0; fi
  done
  builtin return 1
}

# Whether the shell would end after the trap on ERR.
__holdfast_must_exit() {
  [[ -o errexit ]] && ((BASHPID == __holdfast_pid))
}
