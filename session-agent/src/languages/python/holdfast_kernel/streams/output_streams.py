"""The output of steps: fds 1 and 2 belong to the user's code, fds 5 and 6 are the kernel's own ends of the same FIFOs."""

import _thread
import os
import sys

from ..agent import channel, interrupt
from . import late_output
from .descriptors import flush_c, has_unread, identity, reopen
from .output_text import output_text

_names = {1: 'stdout', 2: 'stderr'}
_private_fds = {1: 5, 2: 6}

interrupt.protect(__file__)


class OutputStreams:
    def __init__(self):
        for fd in (3, 5, 6):
            os.set_inheritable(fd, False)
        self._identities = {fd: identity(fd) for fd in _names}
        self._texts = {}
        self._flushing = _thread.allocate_lock()
        self._ordering = _thread.RLock()
        self._mark_start = None
        self._is_moved = False
        for fd in _names:
            self._install(fd)
        # If a child is forked while a thread writes, it finds the stream locked for ever.
        os.register_at_fork(before=self._hold, after_in_parent=self._become_parent, after_in_child=self._become_child)

    def flush(self):
        """Flushes the kernel's own streams. Never raises, though they may be closed or broken."""
        with self._flushing:
            late_output.pass_on(self._flush_all)

    def is_own(self, text):
        """Whether this is one of the kernel's own streams and none that the user's code has put in their place."""
        return text is self._texts[1] or text is self._texts[2]

    def flush_replaced(self):
        """Flushes the streams that the user's code has put in the place of the kernel's."""
        for name in _names.values():
            text = getattr(sys, name, None)
            if self.is_own(text) or text is None:
                continue
            try:
                text.flush()
            except KeyboardInterrupt:
                raise
            except BaseException:
                pass

    def move(self, folder):
        """Replaces the present FIFOs by `1` and `2` of a folder. If that fails, the present ones stay."""
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
        flush_c()
        for fd, own, private in ((1, *opened[:2]), (2, *opened[2:])):
            os.dup2(own, fd)
            os.dup2(private, _private_fds[fd], inheritable=False)
            self._identities[fd] = identity(fd)
            os.close(own)
            os.close(private)
        self._is_moved = True

    def begin_step(self, nonce, is_shared):
        """Flushes what threads wrote late, so that it does not count as the new step's, and directs the streams to the FIFOs.

        `is_shared`: code of earlier steps may write as well. Only then is each write attributed to a step, which costs time.
        """
        texts = self._open_texts()
        for text in texts:
            text.attribute(is_shared)
        self.flush()
        for text in texts:
            text.divert(None)
        self._mark_start = b'\0holdfast:' + nonce.encode() + b':'

    def send_in_order(self, message):
        """Sends a message of the running step in its place: behind all that was written before, and before all that comes."""
        self.flush_replaced()
        if not channel.is_kernel():
            return
        with self._ordering, interrupt.Uninterrupted():
            self.flush()
            flush_c()
            encoded = channel.encoded(message)
            self._write_marks(b'm')
            channel.send_encoded(encoded)

    def end_step(self, step_id, is_shared):
        """Restores both streams and ends the step on them. Output after that is the step's late output.

        If the agent has read everything of a stream already, it needs no mark; returns the names of these streams.
        """
        if is_shared:
            for text in self._open_texts():
                text.attribute(True)
        self.flush()
        flush_c()
        for fd in _names:
            self._restore(fd)
        unmarked = []
        with self._ordering:
            for fd, private_fd in _private_fds.items():
                # The first marks tell the agent that the step has opened new FIFOs.
                if self._is_moved or has_unread(private_fd):
                    os.write(private_fd, self._mark_start + b'e\0')
                else:
                    unmarked.append(_names[fd])
            self._mark_start = None
        self._is_moved = False
        for text in self._open_texts():
            text.divert(step_id)
            text.attribute(True)
        return unmarked

    def _take_turn(self, fd):
        """Marks that what comes now, on the stream of this descriptor, comes behind all that was written on the other."""
        with self._ordering:
            text, other = self._texts[fd], self._texts[3 - fd]
            if not text.buffer.raw.is_behind:
                return
            try:
                other.flush()
            except Exception:
                # The code has closed it or its descriptor, which must not fail the other stream's write.
                pass
            with interrupt.Uninterrupted():
                self._write_marks(b't')
                text.fall_behind(False)
                if not _is_closed(other):
                    other.fall_behind(True)

    def _write_marks(self, kind):
        if self._mark_start is not None:
            for fd in _private_fds.values():
                os.write(fd, self._mark_start + kind + b'\0')

    def _open_texts(self):
        return [text for text in self._texts.values() if not _is_closed(text)]

    def _flush_all(self):
        for text in list(self._texts.values()):
            try:
                text.flush()
            except Exception:
                pass

    def _restore(self, fd):
        if identity(fd) != self._identities[fd]:
            reopen(_private_fds[fd], fd)
        elif not os.get_blocking(fd):
            os.set_blocking(fd, True)
        if _is_closed(getattr(sys, _names[fd], None)):
            self._install(fd)

    def _install(self, fd):
        text = self._texts.get(fd)
        if _is_closed(text):
            text = self._texts[fd] = output_text(fd, _names[fd], self._take_turn)
            other = self._texts.get(3 - fd)
            text.fall_behind(other is not None and not _is_closed(other) and not other.buffer.raw.is_behind)
        setattr(sys, _names[fd], text)
        setattr(sys, '__%s__' % _names[fd], text)

    def _hold(self):
        # Otherwise both processes would write the buffered text.
        self._ordering.acquire()
        self.flush()
        self._flushing.acquire()

    def _become_parent(self):
        self._flushing.release()
        self._ordering.release()

    def _become_child(self):
        self._flushing = _thread.allocate_lock()
        self._ordering = _thread.RLock()
        self._mark_start = None
        for text in self._texts.values():
            # Writes lines at once: the flusher does not run in a child, and a signal often ends one.
            try:
                text.divert(None)
                text.attribute(False)
                text.fall_behind(False)
                text.reconfigure(line_buffering=True)
            except Exception:
                pass


def _is_closed(text):
    """Whether the stream is closed. A stream of the user's own counts as closed if it fails to say."""
    try:
        return bool(getattr(text, 'closed', True))
    except BaseException:
        return True
