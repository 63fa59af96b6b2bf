"""The kernel dies with its agent: the kernel sends us SIGKILL when the other end of the lifeline closes.

A signal by the operating system, because a loop in C that keeps the interpreter's lock would starve any watching thread.
"""

import fcntl
import os
import signal


def hold(fd):
    os.set_inheritable(fd, False)
    fcntl.fcntl(fd, fcntl.F_SETSIG, signal.SIGKILL)
    fcntl.fcntl(fd, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(fd, fcntl.F_SETFL, fcntl.fcntl(fd, fcntl.F_GETFL) | os.O_ASYNC)
    # The signal tells of a change; where the agent died before this line, nothing changes any more.
    os.set_blocking(fd, False)
    try:
        if os.read(fd, 1) == b'':
            os._exit(0)
    except BlockingIOError:
        pass
