"""The output of steps: fds 1 and 2 belong to the user's code, fds 5 and 6 are the kernel's own ends of the same FIFOs."""

import _thread
import os
import sys

from ..agent import channel, interrupt
from . import late_output
from .descriptors import KeptFile, flush_c, has_unread, reopen
from .output_text import Direction, OutputText, is_closed

_names = {1: 'stdout', 2: 'stderr'}
_private_fds = {1: 5, 2: 6}

interrupt.protect(__file__)


class OutputStreams:
    def __init__(self):
        for fd in (3, 5, 6):
            os.set_inheritable(fd, False)
        self._files = {fd: KeptFile(fd) for fd in _names}
        self._streams = {}
        self._direction = Direction()
        self._wake = lambda: None
        self._watches_writes = False
        self._is_clean = False
        self._flushing = _thread.allocate_lock()
        self._ordering = _thread.RLock()
        self._mark_start = None
        self._is_moved = False
        for fd in _names:
            self._install(fd)
        # If a child is forked while a thread writes, it finds the stream locked for ever.
        os.register_at_fork(before=self._hold, after_in_parent=self._become_parent, after_in_child=self._become_child)

    def set_wake(self, wake):
        """Sets the function that is called after a write, by any thread, while writes are watched. It leads to `unwatch_writes`."""
        self._wake = wake

    def watch_writes(self):
        """Calls `wake` after the next write, and flushes what was written before. Returns whether nothing is left to flush."""
        with self._flushing:
            self._watches_writes = True
        self.flush()
        return self._is_clean

    def unwatch_writes(self):
        with self._flushing:
            self._watches_writes = False
            self._expect_writes(False)

    def flush(self):
        """Flushes the kernel's own streams, and returns whether that wrote anything. Never raises, though they may be closed or broken."""
        with self._flushing:
            before = self._writes()
            if self._watches_writes:
                # Before the flush, so that each write is found by it or calls `wake`.
                self._expect_writes(True)
            self._is_clean = True
            late_output.pass_on(self._flush_all)
            return self._writes() != before

    def is_own(self, text):
        """Whether this is one of the kernel's own streams and none that the user's code has put in their place."""
        return text is self._streams[1].text or text is self._streams[2].text

    def flush_replaced(self):
        """Flushes the streams that the user's code has put in the place of the kernel's."""
        stdout, stderr = getattr(sys, 'stdout', None), getattr(sys, 'stderr', None)
        if stdout is self._streams[1].text and stderr is self._streams[2].text:
            return
        for text in (stdout, stderr):
            if text is None or self.is_own(text):
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
            self._files[fd].keep()
            os.close(own)
            os.close(private)
        self._is_moved = True

    def begin_step(self, nonce, is_shared):
        """Flushes what threads wrote late, so that it does not count as the new step's, and directs the streams to the FIFOs.

        `is_shared`: code of earlier steps may write as well. Only then is each write attributed to a step, which costs time.
        """
        if is_shared or not self._is_quiet():
            self.flush()
        self._direct(None, is_shared)
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
            # Earlier writes must not mix with those that are attributed.
            self.flush()
            self._direction.attributes = True
            self._choose_watches()
        if is_shared or not self._is_quiet():
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
        self._direct(step_id, True)
        return unmarked

    def _is_quiet(self):
        """Whether certainly nothing is left to flush, if no threads of earlier steps live.

        A flush counts once it has ended: the flusher expects writes before it flushes those that came earlier.
        """
        return self._is_clean and self._direction.expects_writes and not self._flushing.locked()

    def _direct(self, late_step, attributes):
        direction = self._direction
        direction.late_step = late_step
        direction.attributes = attributes
        # A stream that expects a write watches in any case.
        if not direction.expects_writes:
            self._choose_watches()

    def _note_write(self):
        try:
            # Now, since a loop that prints may not let the flusher run for a while.
            self._expect_writes(False)
        finally:
            # Last, since the flusher may watch again in between. It then begins anew.
            self._wake()

    def _expect_writes(self, are_expected):
        self._direction.expects_writes = are_expected
        self._choose_watches()

    def _choose_watches(self):
        for stream in self._open_streams():
            stream.choose_watch()

    def _writes(self):
        return [stream.writes() for stream in self._streams.values()]

    def _take_turn(self, fd):
        """Marks that what comes now, on the stream of this descriptor, comes behind all that was written on the other."""
        with self._ordering:
            stream, other = self._streams[fd], self._streams[3 - fd]
            if not stream.is_behind():
                return
            try:
                other.text.flush()
            except Exception:
                # The code has closed it or its descriptor, which must not fail the other stream's write.
                pass
            with interrupt.Uninterrupted():
                self._write_marks(b't')
                stream.fall_behind(False)
                if not other.is_closed():
                    other.fall_behind(True)

    def _write_marks(self, kind):
        if self._mark_start is not None:
            for fd in _private_fds.values():
                os.write(fd, self._mark_start + kind + b'\0')

    def _open_streams(self):
        return [stream for stream in list(self._streams.values()) if not stream.is_closed()]

    def _flush_all(self):
        for stream in self._open_streams():
            try:
                stream.text.flush()
            except Exception:
                self._is_clean = False

    def _restore(self, fd):
        if not self._files[fd].is_open():
            reopen(_private_fds[fd], fd)
            self._files[fd].keep()
        elif not os.get_blocking(fd):
            os.set_blocking(fd, True)
        if is_closed(getattr(sys, _names[fd], None)):
            self._install(fd)

    def _install(self, fd):
        stream = self._streams.get(fd)
        if stream is None or stream.is_closed():
            stream = self._streams[fd] = OutputText(fd, _names[fd], self._direction, self._note_write, self._take_turn)
            other = self._streams.get(3 - fd)
            stream.fall_behind(other is not None and not other.is_closed() and not other.is_behind())
        setattr(sys, _names[fd], stream.text)
        setattr(sys, '__%s__' % _names[fd], stream.text)

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
        self._watches_writes = False
        self._direction.late_step = None
        self._direction.attributes = self._direction.expects_writes = False
        for stream in self._streams.values():
            # Writes lines at once: the flusher does not run in a child, and a signal often ends one.
            try:
                stream.fall_behind(False)
                stream.text.reconfigure(line_buffering=True)
            except Exception:
                pass
