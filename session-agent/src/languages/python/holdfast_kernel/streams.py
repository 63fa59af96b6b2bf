"""fds 1 and 2 belong to the user's code; fds 5 and 6 are ends of the same FIFOs that only the kernel knows."""

import _thread
import os
import sys

from . import interrupt, late_output
from .output_text import output_text

_names = {1: 'stdout', 2: 'stderr'}
_private_fds = {1: 5, 2: 6}

interrupt.protect(__file__)


class Streams:
    def __init__(self):
        for fd in (3, 5, 6):
            os.set_inheritable(fd, False)
        self._identities = {fd: _identity(fd) for fd in _names}
        self._texts = {}
        self._flushing = _thread.allocate_lock()
        for fd in _names:
            self._install(fd)
        # A child that is forked while a thread writes would find the stream locked for ever.
        os.register_at_fork(before=self._hold, after_in_parent=self._flushing.release, after_in_child=self._become_child)

    def flush(self):
        """Pushes out what Python holds back in our own streams. Never raises: they may be closed or broken."""
        with self._flushing:
            late_output.pass_on(self._flush_all)

    def flush_replaced(self):
        """Pushes out what the user's own streams hold back, if there are such in the place of ours."""
        for name in _names.values():
            text = getattr(sys, name, None)
            if text is None or any(text is own for own in self._texts.values()):
                continue
            try:
                text.flush()
            except KeyboardInterrupt:
                raise
            except BaseException:
                pass

    def attribute(self, is_on):
        """Whether each write is looked at for whose it is, which costs time and is needed where not all are one step's."""
        for text in self._open_texts():
            text.attribute(is_on)

    def move(self, folder):
        """Puts the FIFOs `1` and `2` of a folder in the place of the present ones. Where that fails, these stay."""
        opened = []
        try:
            for fd in _names:
                for _ in range(2):
                    opened.append(os.open(os.path.join(folder, str(fd)), os.O_WRONLY | os.O_NONBLOCK))
                    os.set_blocking(opened[-1], True)
        except OSError:
            for fd in opened:
                os.close(fd)
            return
        self.flush()
        _flush_c()
        for fd, own, private in ((1, *opened[:2]), (2, *opened[2:])):
            os.dup2(own, fd)
            os.dup2(private, _private_fds[fd], inheritable=False)
            self._identities[fd] = _identity(fd)
            os.close(own)
            os.close(private)

    def begin_step(self):
        """What a thread was about to write when the last step ended is not the new one's."""
        self.flush()
        for text in self._open_texts():
            text.divert(None)

    def end_step(self, step_id, nonce):
        """Puts both streams right and writes the end marks. What comes after them is the step's late output."""
        self.flush()
        _flush_c()
        mark = b'\0holdfast-end:' + nonce.encode() + b'\0'
        for fd in _names:
            self._restore(fd)
        for fd in _private_fds.values():
            os.write(fd, mark)
        for text in self._open_texts():
            text.divert(step_id)

    def _open_texts(self):
        return [text for text in self._texts.values() if not _is_closed(text)]

    def _flush_all(self):
        for text in list(self._texts.values()):
            try:
                text.flush()
            except Exception:
                pass

    def _restore(self, fd):
        if _identity(fd) != self._identities[fd]:
            _reopen(_private_fds[fd], fd)
        elif not os.get_blocking(fd):
            os.set_blocking(fd, True)
        if _is_closed(getattr(sys, _names[fd], None)):
            self._install(fd)

    def _install(self, fd):
        text = self._texts.get(fd)
        if _is_closed(text):
            text = self._texts[fd] = output_text(fd, _names[fd])
        setattr(sys, _names[fd], text)
        setattr(sys, '__%s__' % _names[fd], text)

    def _hold(self):
        # Otherwise what is held back would come out of both processes.
        self.flush()
        self._flushing.acquire()

    def _become_child(self):
        self._flushing = _thread.allocate_lock()
        for text in self._texts.values():
            # No thread of ours flushes here, and a child is often ended by a signal.
            try:
                text.divert(None)
                text.attribute(False)
                text.reconfigure(line_buffering=True)
            except Exception:
                pass


def _is_closed(text):
    """Whether nothing can be written to it. Any answer of a stream of the user's own will do, but none that fails."""
    try:
        return bool(getattr(text, 'closed', True))
    except BaseException:
        return True


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
