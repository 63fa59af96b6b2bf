while __holdfast_next; do \builtin eval "$__holdfast_code" </dev/null; \builtin eval "$__holdfast_leave_late"; __holdfast_end_step; done
# Runs steps. On one line, so that lines count from 1 in a step's code. The line that the interpreter reads (streams.bash) sources this
# file, and does so again after a jump out of it, as by SIGINT, or a `return`. So `exit` prints nothing, and a `break` ends the step.
