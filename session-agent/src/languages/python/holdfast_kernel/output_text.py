"""`sys.stdout` and `sys.stderr`: text streams that find out whose output it is only while that is a question.

The class of the stream changes with that: as a plain one it runs no Python code, and a print is as fast as on any stream.
"""

import io
import os

from . import interrupt, late_output

buffer_bytes = 65536

interrupt.protect(__file__)


def output_text(fd, name):
    buffer = _PlainBuffer(_Fifo(fd, name), buffer_bytes)
    text = _PlainText(buffer, 'utf-8', 'backslashreplace', newline='\n')
    text.mode = 'w'
    return text


class _Fifo(io.FileIO):
    """Waits where a child process has made the FIFO non-blocking, instead of failing the user's print."""

    def __init__(self, fd, stream):
        super().__init__(fd, 'wb', closefd=False)
        self.name = '<%s>' % stream
        self.stream = stream
        self.late_home = None

    def write(self, data):
        if self.late_home is not None:
            late_output.add(self.late_home, self.stream, bytes(data).decode('utf-8', 'replace'))
            return len(data)
        if len(data) > buffer_bytes:
            return self._write_much(data)
        interrupt.raise_due()
        written = super().write(data)
        while written is None:
            os.set_blocking(self.fileno(), True)
            written = super().write(data)
        return written

    @interrupt.is_open
    def _write_much(self, data):
        """What is too much for the buffer comes straight from the user's call, which an interrupt is to end at once."""
        written = super().write(data)
        while written is None:
            os.set_blocking(self.fileno(), True)
            written = super().write(data)
        return written


class _PlainBuffer(io.BufferedWriter):
    pass


class _AttributingBuffer(io.BufferedWriter):
    def write(self, data):
        step_id = late_output.late_home()
        if step_id is None:
            return super().write(data)
        data = bytes(data)
        late_output.add(step_id, self.raw.stream, data.decode('utf-8', 'replace'))
        return len(data)

    def flush(self):
        if late_output.late_home() is None:
            super().flush()


class _PlainText(io.TextIOWrapper):
    def attribute(self, is_on):
        if is_on == isinstance(self, _AttributingText):
            return
        self.__class__ = _AttributingText if is_on else _PlainText
        self.buffer.__class__ = _AttributingBuffer if is_on else _PlainBuffer

    def divert(self, step_id):
        """What still comes out is the late output of this step; with None it goes into the FIFO."""
        self.buffer.raw.late_home = step_id


class _AttributingText(_PlainText):
    def write(self, text):
        step_id = late_output.late_home() if isinstance(text, str) else None
        if step_id is None:
            return super().write(text)
        late_output.add(step_id, self.buffer.raw.stream, text)
        return len(text)

    def flush(self):
        # What is held back is the running step's, and not for a late thread to pass on as its own.
        if late_output.late_home() is None:
            super().flush()


for _class in (_PlainBuffer, _AttributingBuffer):
    _class.__name__ = _class.__qualname__ = 'BufferedWriter'
    _class.__module__ = '_io'
for _class in (_PlainText, _AttributingText):
    _class.__name__ = _class.__qualname__ = 'TextIOWrapper'
    _class.__module__ = '_io'
