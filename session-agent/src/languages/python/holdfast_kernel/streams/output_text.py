"""Makes `sys.stdout` and `sys.stderr`: text streams that look at a write only while there is something to decide about it.

A stream watches its writes while several steps may write, to attribute each to its step, and while the other stream wrote last, to mark the
turn. Its classes change with that: a stream that does not watch runs no Python code, so a print is as fast as on any other stream.
"""

import io
import os

from ..agent import interrupt
from . import late_output

buffer_bytes = 65536

interrupt.protect(__file__)


def output_text(fd, name, take_turn):
    """`take_turn(fd)` is called before the stream's next write after `fall_behind()`."""
    buffer = _PlainBuffer(_Fifo(fd, name, take_turn), buffer_bytes)
    text = _PlainText(buffer, 'utf-8', 'backslashreplace', newline='\n')
    text.mode = 'w'
    return text


class _Fifo(io.FileIO):
    """Waits if a child process has made the FIFO non-blocking, instead of failing the user's print."""

    def __init__(self, fd, stream, take_turn):
        super().__init__(fd, 'wb', closefd=False)
        self.name = '<%s>' % stream
        self.stream = stream
        self.late_step = None
        self.attributes = False
        self.is_behind = False
        self._take_turn = take_turn

    def step_of_write(self):
        """Returns the earlier step whose output comes now, or None for the running step's, for which it is this stream's turn then."""
        step_id = late_output.late_step() if self.attributes else None
        if step_id is None and self.is_behind and not late_output.is_passing_on():
            self._take_turn(self.fileno())
        return step_id

    def write(self, data):
        if self.late_step is not None:
            late_output.add(self.late_step, self.stream, bytes(data).decode('utf-8', 'replace'))
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


class _PlainBuffer(io.BufferedWriter):
    pass


# Taking the turn changes the class in the middle of a call, after which `super()` would fail.
class _WatchingBuffer(_PlainBuffer):
    def write(self, data):
        step_id = self.raw.step_of_write()
        if step_id is None:
            return io.BufferedWriter.write(self, data)
        data = bytes(data)
        late_output.add(step_id, self.raw.stream, data.decode('utf-8', 'replace'))
        return len(data)


class _AttributingBuffer(_WatchingBuffer):
    def flush(self):
        if late_output.late_step() is None:
            io.BufferedWriter.flush(self)


class _PlainText(io.TextIOWrapper):
    def attribute(self, is_on):
        """Sets whether each write is attributed to a step."""
        self.buffer.raw.attributes = is_on
        self._choose_class()

    def fall_behind(self, is_behind):
        """Sets whether the other stream wrote last."""
        self.buffer.raw.is_behind = is_behind
        self._choose_class()

    def divert(self, step_id):
        """Sends all that still comes out as late output of this step; with None it goes into the FIFO again."""
        self.buffer.raw.late_step = step_id

    def _choose_class(self):
        raw = self.buffer.raw
        classes = _attributing if raw.attributes else _watching if raw.is_behind else _plain
        if self.__class__ is not classes[0]:
            self.__class__, self.buffer.__class__ = classes


class _WatchingText(_PlainText):
    def write(self, text):
        step_id = self.buffer.raw.step_of_write() if isinstance(text, str) else None
        if step_id is None:
            return io.TextIOWrapper.write(self, text)
        late_output.add(step_id, self.buffer.raw.stream, text)
        return len(text)


class _AttributingText(_WatchingText):
    def flush(self):
        # The buffered text is the running step's, and a late thread must not send it as its own.
        if late_output.late_step() is None:
            io.TextIOWrapper.flush(self)


_plain = (_PlainText, _PlainBuffer)
_watching = (_WatchingText, _WatchingBuffer)
_attributing = (_AttributingText, _AttributingBuffer)

for _text, _buffer in (_plain, _watching, _attributing):
    _text.__name__ = _text.__qualname__ = 'TextIOWrapper'
    _buffer.__name__ = _buffer.__qualname__ = 'BufferedWriter'
    _text.__module__ = _buffer.__module__ = '_io'
