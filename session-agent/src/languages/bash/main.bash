# Starts the kernel. An interactive bash reads this as its first command.
#
# The shell is interactive because only an interactive shell returns from SIGINT to reading commands with all its state.

readonly __holdfast_home=${BASH_SOURCE[0]%/*}
readonly __holdfast_channel=60 __holdfast_out=61 __holdfast_err=62
readonly __holdfast_pid=$$

# An interrupt between steps would lose the request that is being read.
trap '' INT
unset -v HISTFILE MAILCHECK
set +o history +o histexpand
shopt -s execfail
PS0='' PS1='' PS2=''

source "$__holdfast_home/streams.bash"
source "$__holdfast_home/channel.bash"
source "$__holdfast_home/step-environment.bash"
source "$__holdfast_home/input.bash"
source "$__holdfast_home/definitions.bash"
source "$__holdfast_home/choose-watch.bash"
source "$__holdfast_home/order.bash"
source "$__holdfast_home/traps.bash"
source "$__holdfast_home/exit.bash"
source "$__holdfast_home/guard.bash"
source "$__holdfast_home/loop-file.bash"
source "$__holdfast_home/end-step.bash"
source "$__holdfast_home/run-step.bash"

__holdfast_take 3 "$__holdfast_channel"
__holdfast_take 5 "$__holdfast_out"
__holdfast_take 6 "$__holdfast_err"
exec 4<&-
__holdfast_rest_streams

__holdfast_define_exit
__holdfast_begin_definitions
source "$__holdfast_home/state/begin-state.bash"
__holdfast_send "{\"type\":\"ready\",\"version\":\"bash $BASH_VERSION\"}"
__holdfast_refill
