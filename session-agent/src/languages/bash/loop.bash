__holdfast_remove_loop; while __holdfast_next; do \builtin eval "$__holdfast_code" </dev/null >"/dev/fd/$__holdfast_out" 2>"/dev/fd/$__holdfast_err"; \builtin eval "$__holdfast_leave_late"; __holdfast_end_step; done
# Runs steps. On one line, so that lines count from 1 in a step's code. The line that the interpreter reads (streams.bash) sources a copy
# of the first line, and does so again after a jump out of it, as by SIGINT, or a `return`. So a `break` ends the step.
