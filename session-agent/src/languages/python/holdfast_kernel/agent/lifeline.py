"""Makes the kernel die with its agent: the operating system sends SIGKILL when the other end of the lifeline closes.

No thread watches the lifeline, because a loop in C that holds the interpreter's lock would starve it.
"""

import fcntl
import os
import signal


def hold(fd):
    os.set_inheritable(fd, False)
    fcntl.fcntl(fd, fcntl.F_SETSIG, signal.SIGKILL)
    fcntl.fcntl(fd, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(fd, fcntl.F_SETFL, fcntl.fcntl(fd, fcntl.F_GETFL) | os.O_ASYNC)
    # The signal reports a change only. If the agent died before this line, nothing changes any more.
    os.set_blocking(fd, False)
    try:
        if os.read(fd, 1) == b'':
            os._exit(0)
    except BlockingIOError:
        pass
