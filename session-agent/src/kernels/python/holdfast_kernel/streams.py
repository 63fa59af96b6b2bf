"""fds 1 and 2 belong to the user's code; fds 5 and 6 are ends of the same FIFOs that only the kernel knows."""

import io
import os
import sys


class Streams:
    def __init__(self):
        for fd in (3, 5, 6):
            os.set_inheritable(fd, False)
        self._identities = {fd: _identity(fd) for fd in (1, 2)}
        self._texts = {}
        self._install(1, 'stdout')
        self._install(2, 'stderr')

    def flush(self):
        """Pushes out what Python holds back. Never raises: the streams may be closed, the user's own, or broken."""
        for text in (sys.stdout, sys.stderr, *self._texts.values()):
            try:
                text.flush()
            except Exception:
                pass

    def end_step(self, nonce):
        """Puts both streams right and writes the end marks. Late output of threads comes after them."""
        self.flush()
        _flush_c()
        mark = b'\0holdfast-end:' + nonce.encode() + b'\0'
        self._restore(1, 5, 'stdout')
        self._restore(2, 6, 'stderr')
        os.write(5, mark)
        os.write(6, mark)

    def _restore(self, fd, private_fd, name):
        if _identity(fd) != self._identities[fd]:
            _reopen(private_fd, fd)
        elif not os.get_blocking(fd):
            os.set_blocking(fd, True)
        if getattr(getattr(sys, name), 'closed', True):
            self._install(fd, name)

    def _install(self, fd, name):
        buffer = io.BufferedWriter(_Fifo(fd, 'wb', closefd=False), 65536)
        text = io.TextIOWrapper(buffer, 'utf-8', 'backslashreplace', newline='\n')
        text.mode = 'w'
        self._texts[fd] = text
        setattr(sys, name, text)
        setattr(sys, '__' + name + '__', text)


class _Fifo(io.FileIO):
    """Waits where a child process has made the FIFO non-blocking, instead of failing the user's print."""

    def write(self, data):
        written = super().write(data)
        while written is None:
            os.set_blocking(self.fileno(), True)
            written = super().write(data)
        return written


def _identity(fd):
    try:
        status = os.fstat(fd)
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _reopen(private_fd, fd):
    # Opened anew and not duplicated: children share the flags of what they inherit, and ours are to stay ours.
    opened = os.open('/proc/self/fd/%d' % private_fd, os.O_WRONLY)
    if opened != fd:
        os.dup2(opened, fd)
        os.close(opened)
    os.set_inheritable(fd, True)


def _flush_c():
    """Flushes the C library's streams. Extensions that print from C come with ctypes; without it there is nothing to flush."""
    ctypes = sys.modules.get('ctypes')
    if ctypes:
        try:
            ctypes.pythonapi.fflush(None)
        except Exception:
            pass
