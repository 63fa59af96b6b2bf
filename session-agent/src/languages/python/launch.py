"""Replaces itself with the program that its arguments name, which then adopts the orphans among its descendants."""

import _signal
import os
import sys

from holdfast_kernel.agent.subreaper import adopt_orphans

adopt_orphans()
# Python ignores these signals, and the next program would inherit that.
for number in (_signal.SIGPIPE, _signal.SIGXFSZ):
    _signal.signal(number, _signal.SIG_DFL)
os.execv(sys.argv[1], sys.argv[1:])
