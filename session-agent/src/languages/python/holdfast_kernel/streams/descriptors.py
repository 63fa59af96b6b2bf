"""File descriptors of the output streams, and the C library's buffers for them."""

import fcntl
import os
import sys

# ioctl_tty(2). The module `termios` has it as well and would be loaded for it alone.
_fionread = 0x541B
_no_bytes = bytes(4)
_count = bytearray(4)


def identity(fd):
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
