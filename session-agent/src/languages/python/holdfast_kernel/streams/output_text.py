"""Makes `sys.stdout` and `sys.stderr`: text streams that attribute each write to a step only while several steps may write.

The class of a stream changes with that. A plain stream runs no Python code, so a print is as fast as on any other stream.
"""

import io
import os

from ..agent import interrupt
from . import late_output

buffer_bytes = 65536

interrupt.protect(__file__)


def output_text(fd, name):
    buffer = _PlainBuffer(_Fifo(fd, name), buffer_bytes)
    text = _PlainText(buffer, 'utf-8', 'backslashreplace', newline='\n')
    text.mode = 'w'
    return text


class _Fifo(io.FileIO):
    """Waits if a child process has made the FIFO non-blocking, instead of failing the user's print."""

    def __init__(self, fd, stream):
        super().__init__(fd, 'wb', closefd=False)
        self.name = '<%s>' % stream
        self.stream = stream
        self.late_step = None

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


class _AttributingBuffer(io.BufferedWriter):
    def write(self, data):
        step_id = late_output.late_step()
        if step_id is None:
            return super().write(data)
        data = bytes(data)
        late_output.add(step_id, self.raw.stream, data.decode('utf-8', 'replace'))
        return len(data)

    def flush(self):
        if late_output.late_step() is None:
            super().flush()


class _PlainText(io.TextIOWrapper):
    def attribute(self, is_on):
        if is_on == isinstance(self, _AttributingText):
            return
        self.__class__ = _AttributingText if is_on else _PlainText
        self.buffer.__class__ = _AttributingBuffer if is_on else _PlainBuffer

    def divert(self, step_id):
        """Sends all that still comes out as late output of this step; with None it goes into the FIFO again."""
        self.buffer.raw.late_step = step_id


class _AttributingText(_PlainText):
    def write(self, text):
        step_id = late_output.late_step() if isinstance(text, str) else None
        if step_id is None:
            return super().write(text)
        late_output.add(step_id, self.buffer.raw.stream, text)
        return len(text)

    def flush(self):
        # The buffered text is the running step's, and a late thread must not send it as its own.
        if late_output.late_step() is None:
            super().flush()


for _class in (_PlainBuffer, _AttributingBuffer):
    _class.__name__ = _class.__qualname__ = 'BufferedWriter'
    _class.__module__ = '_io'
for _class in (_PlainText, _AttributingText):
    _class.__name__ = _class.__qualname__ = 'TextIOWrapper'
    _class.__module__ = '_io'
