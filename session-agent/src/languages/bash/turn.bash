while __holdfast_next; do \builtin eval "$__holdfast_code" </dev/null; \builtin eval "$__holdfast_leave_late"; __holdfast_end_step; done
# Runs steps. On one line, so that lines count from 1 in a step's code. It is sourced, by the line that the interpreter reads
# (streams.bash): after a jump out of it, as by SIGINT, or a `return`, and so that `exit` says nothing. A `break` ends the step.
