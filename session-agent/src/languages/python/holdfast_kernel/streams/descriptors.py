"""File descriptors of the output streams, and the C library's buffers for them."""

import fcntl
import itertools
import os
import sys

# ioctl_tty(2). The module `termios` has it as well and would be loaded for it alone.
_fionread = 0x541B
_no_bytes = bytes(4)
_count = bytearray(4)


# From the highest number of a signal (signal(7)) on.
_marks = itertools.count(64, -1)


class KeptFile:
    """The file that is open at a descriptor. Code may close it, or put another one in its place.

    The open file is marked with a signal that it would send, and never does without O_ASYNC (fcntl(2)). To read the mark takes a tenth of the
    time that Python takes for `fstat`, and every step looks. If a system has no such marks, the file's identity counts.
    """

    def __init__(self, fd):
        self._fd = fd
        self._mark = next(_marks)
        self.keep()

    def keep(self):
        """Keeps the file that is open at the descriptor now."""
        try:
            fcntl.fcntl(self._fd, fcntl.F_SETSIG, self._mark)
            self._has_mark = fcntl.fcntl(self._fd, fcntl.F_GETSIG) == self._mark
        except OSError:
            self._has_mark = False
        self._identity = _identity(self._fd)

    def is_open(self):
        """Whether the kept file is still open at its descriptor."""
        if not self._has_mark:
            return _identity(self._fd) == self._identity
        try:
            return fcntl.fcntl(self._fd, fcntl.F_GETSIG) == self._mark
        except OSError:
            return False


def _identity(fd):
    try:
        status = os.fstat(fd)
    except OSError:
        return None
    return status.st_dev, status.st_ino


def reopen(private_fd, fd):
    # Opened anew and not duplicated: children share the flags of the descriptors that they inherit, and could change the kernel's.
    opened = os.open('/proc/self/fd/%d' % private_fd, os.O_WRONLY)
    if opened != fd:
        os.dup2(opened, fd)
        os.close(opened)
    os.set_inheritable(fd, True)


def has_unread(fd):
    """Whether a FIFO holds bytes that its reader has not read yet, or may hold some."""
    try:
        fcntl.ioctl(fd, _fionread, _count)
        return _count != _no_bytes
    except OSError:
        return True


def flush_c():
    """Flushes the C library's streams, if ctypes is loaded. Without ctypes no known extension prints from C."""
    ctypes = sys.modules.get('ctypes')
    if ctypes:
        try:
            ctypes.pythonapi.fflush(None)
        except Exception:
            pass
