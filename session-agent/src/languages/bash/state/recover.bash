# Gives the shell the state of a snapshot and of the steps after it. The kernel's loop (run-step.bash) comes back here until all is done,
# because commands of the archive and steps that run again must run at the shell's top level, and may jump out.

builtin shopt -s extglob
source "$__holdfast_home/state/load.bash"
source "$__holdfast_home/state/names.bash"
source "$__holdfast_home/state/later-steps.bash"
source "$__holdfast_home/state/scan-code.bash"
source "$__holdfast_home/state/scan-words.bash"
source "$__holdfast_home/state/scan-blocks.bash"
source "$__holdfast_home/state/effects.bash"
source "$__holdfast_home/state/effects-of-builtins.bash"
source "$__holdfast_home/state/effects-of-settings.bash"
source "$__holdfast_home/state/report.bash"

__holdfast_begin_recovery() {
  declare -gA __holdfast_from=() __holdfast_lost=() __holdfast_numbers_lost=() __holdfast_attributes_lost=()
  __holdfast_stopped='' __holdfast_meaning=known __holdfast_deferred=('builtin shopt -u extglob') __holdfast_next_step=0 __holdfast_has_options='' __holdfast_shadows=''
  builtin mapfile -t __holdfast_later <"$__holdfast_path/steps"
  __holdfast_read_archive
  __holdfast_recovery=load __holdfast_at=-1
}

# Succeeds if `__holdfast_code` is to run now, and fails when the recovery is over.
__holdfast_continue_recovery() {
  local -
  builtin set +aefnuCETk +o posix
  __holdfast_take_own_options
  if [[ $__holdfast_recovery == load ]]; then
    if ((__holdfast_at < ${#__holdfast_commands[@]} - 1)); then
      __holdfast_code=$__holdfast_load_code
      return 0
    fi
    __holdfast_check_loaded
    __holdfast_recovery=steps
  fi
  if [[ $__holdfast_recovery == steps ]]; then
    if __holdfast_go_through_steps; then return 0; fi
    __holdfast_recovery=end
    if __holdfast_take_deferred; then return 0; fi
  fi
  __holdfast_recovery=''
  __holdfast_send_report
  return 1
}

# Sets the options that the kernel's own code needs, and notes how they were. Patterns and functions of the snapshot need `extglob`, and
# aliases act on the text of command substitutions, also the kernel's.
__holdfast_take_own_options() {
  if [[ $__holdfast_has_options || $__holdfast_recovery == end ]]; then return; fi
  if [[ :$BASHOPTS: != *:extglob:* ]]; then
    builtin shopt -s extglob
    __holdfast_deferred=('builtin shopt -u extglob' "${__holdfast_deferred[@]}")
  fi
  if [[ :$BASHOPTS: == *:expand_aliases:* ]]; then
    builtin shopt -u expand_aliases
    __holdfast_deferred=('builtin shopt -s expand_aliases' "${__holdfast_deferred[@]}")
  fi
}
