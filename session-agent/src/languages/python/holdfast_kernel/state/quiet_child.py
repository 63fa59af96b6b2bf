"""Makes a forked child that works for the kernel and that neither the user's code nor the agent notices."""

import os
import signal
import sys

from .forked import end_process

_pr_set_pdeathsig = 1


def become_quiet(parent, seconds):
    """Call in the child. It ends with the kernel, after `seconds`, or by itself, and holds none of the kernel's descriptors."""
    signal.alarm(seconds)
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    die_with_parent(parent)
    nothing = os.open(os.devnull, os.O_RDWR)
    for fd in (0, 1, 2):
        os.dup2(nothing, fd)
    for fd in [int(entry) for entry in os.listdir('/proc/self/fd')]:
        if fd > 2:
            try:
                os.close(fd)
            except OSError:
                pass
    # The user's classes may print while they are pickled, and that belongs to no step.
    sys.stdout = sys.stderr = open(os.devnull, 'w')
    sys.settrace(None)
    sys.setprofile(None)


def die_with_parent(parent):
    """A fork clears this, so each child asks for it."""
    try:
        import _ctypes

        prctl = _ctypes.dlsym(_ctypes.dlopen(None, 0), 'prctl')
        _ctypes.call_function(prctl, (_pr_set_pdeathsig, signal.SIGKILL, 0, 0, 0))
    except Exception:
        pass
    if os.getppid() != parent:
        end_process(0)
