"""File descriptors of the output streams, and the C library's buffers for them."""

import os
import sys


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


def flush_c():
    """Flushes the C library's streams, if ctypes is loaded. Without ctypes no known extension prints from C."""
    ctypes = sys.modules.get('ctypes')
    if ctypes:
        try:
            ctypes.pythonapi.fflush(None)
        except Exception:
            pass
