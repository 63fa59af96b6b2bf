"""Executes the program of its arguments in its place, as one that adopts the orphans among its descendants."""

import _signal
import os
import sys

from holdfast_kernel.subreaper import adopt_orphans

adopt_orphans()
# Python ignores these, and the next program would go on ignoring them.
for number in (_signal.SIGPIPE, _signal.SIGXFSZ):
    _signal.signal(number, _signal.SIG_DFL)
os.execv(sys.argv[1], sys.argv[1:])
