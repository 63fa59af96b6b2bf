"""Makes `sys.stdout` and `sys.stderr`: text streams that look at a write only while there is something to decide about it.

A stream watches its writes for three reasons: the flusher sleeps, and a write is to wake it; several steps may write, and each write
is attributed to its step; the other stream wrote last, and the turn is marked. If there is none, a print runs no Python code and is as fast
as on any other stream.
"""

import io
import os

from ..agent import interrupt
from . import late_output

buffer_bytes = 65536

interrupt.protect(__file__)


class Direction:
    """Directs the text of both streams: it goes out as late output of `late_step`, or with None into the FIFOs.

    `attributes`: each write is attributed to a step. `expects_writes`: a stream calls `wake()` after a write.
    """

    def __init__(self):
        self.late_step = None
        self.attributes = self.expects_writes = False


class OutputText:
    """`text` is what the user's code writes to. Calls `wake()` after each write that is expected, and `take_turn(fd)` before it writes if it
    is behind. Call `choose_watch` after a change of the direction."""

    def __init__(self, fd, name, direction, wake, take_turn):
        self._fifo = _Fifo(fd, name, direction, wake, take_turn)
        self.text = io.TextIOWrapper(_Buffer(self._fifo, buffer_bytes), 'utf-8', 'backslashreplace', newline='\n')
        self.text.mode = 'w'
        self._chunk_size = self.text._CHUNK_SIZE

    def is_closed(self):
        return is_closed(self.text)

    def is_behind(self):
        """Whether the other stream wrote last."""
        return self._fifo.is_behind

    def fall_behind(self, is_behind):
        self._fifo.is_behind = is_behind
        self.choose_watch()

    def writes(self):
        """How often something has gone out."""
        return self._fifo.writes

    def choose_watch(self):
        fifo = self._fifo
        direction = fifo.direction
        watches = direction.expects_writes or direction.attributes or fifo.is_behind
        if watches is not fifo.watches:
            # The text hands what has the length of a chunk on to its buffer, which watches. It does so even for a `write` that the code
            # has kept from an earlier time.
            self.text._CHUNK_SIZE = 1 if watches else self._chunk_size
            fifo.watches = watches


class _Fifo(io.FileIO):
    """Waits if a child process has made the FIFO non-blocking, instead of failing the user's print."""

    def __init__(self, fd, stream, direction, wake, take_turn):
        super().__init__(fd, 'wb', closefd=False)
        self.name = '<%s>' % stream
        self.stream = stream
        self.direction = direction
        self.watches = self.is_behind = False
        self.writes = 0
        self._wake = wake
        self._take_turn = take_turn

    def step_of_write(self):
        """Returns the earlier step whose output comes now, or None for the running step's, for which it is this stream's turn then."""
        step_id = late_output.late_step() if self.direction.attributes else None
        if step_id is None and self.is_behind and not late_output.is_passing_on():
            self._take_turn(self.fileno())
        return step_id

    def note_write(self):
        if not late_output.is_passing_on():
            self._wake()

    def write(self, data):
        self.writes += 1
        late_step = self.direction.late_step
        if late_step is not None:
            late_output.add(late_step, self.stream, bytes(data).decode('utf-8', 'replace'))
            return len(data)
        if len(data) > buffer_bytes:
            return self._write_much(data)
        interrupt.raise_due()
        written = super().write(data)
        while written is None:
            os.set_blocking(self.fileno(), True)
            written = super().write(data)
        return written

    @interrupt.interruptible
    def _write_much(self, data):
        """Writes more than the buffer holds. Such a write comes straight from the user's call, and an interrupt ends it at once."""
        written = super().write(data)
        while written is None:
            os.set_blocking(self.fileno(), True)
            written = super().write(data)
        return written


class _Buffer(io.BufferedWriter):
    def write(self, data):
        fifo = self.raw
        step_id = fifo.step_of_write() if fifo.watches else None
        if step_id is None:
            try:
                return super().write(data)
            finally:
                # Asked only now: a flush that began before the write has not seen it, and one that begins later does.
                if fifo.direction.expects_writes:
                    fifo.note_write()
        data = bytes(data)
        late_output.add(step_id, fifo.stream, data.decode('utf-8', 'replace'))
        return len(data)

    def flush(self):
        # The buffered bytes are the running step's, and a late thread must not send it as its own.
        if not self.raw.direction.attributes or late_output.late_step() is None:
            super().flush()


_Buffer.__name__ = _Buffer.__qualname__ = 'BufferedWriter'
_Buffer.__module__ = '_io'


def is_closed(text):
    """Whether the stream is closed. A stream of the user's own counts as closed if it fails to say."""
    try:
        return bool(getattr(text, 'closed', True))
    except BaseException:
        return True
