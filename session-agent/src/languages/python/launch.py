"""Replaces itself with the program that its arguments name, which then adopts the orphans among its descendants.

After `--confined` the program cannot execute any other one.
"""

import _signal
import os
import sys

from holdfast_kernel.agent.subreaper import adopt_orphans

adopt_orphans()
# Python ignores these signals, and the next program would inherit that.
for number in (_signal.SIGPIPE, _signal.SIGXFSZ):
    _signal.signal(number, _signal.SIG_DFL)
if sys.argv[1] == '--confined':
    from holdfast_kernel.agent.confinement import execute_confined

    execute_confined(sys.argv[2:])
os.execv(sys.argv[1], sys.argv[1:])
