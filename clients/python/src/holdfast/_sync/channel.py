# Generated from `_async/channel.py` by `generate/sync.py`: do not edit.
"""A live connection with a process, for terminals."""

from __future__ import annotations

import json
from contextlib import suppress
from time import monotonic
from typing import TYPE_CHECKING, Any, Iterator, Optional, Union

from .._channel import ChannelOutput, ChannelState
from .._retries import GOOD_SECONDS
from ..errors import ConnectionFailed, HoldfastError, InputLost
from ..models import TerminalSize
from .driver import Lock, sleep, to_the_end
from .socket import Socket, SocketBroken
from .transport import Transport

if TYPE_CHECKING:
    from .processes import Process

PIECE_BYTES = 64 * 1024


class Channel:
    """The output of a process as an iteration, and its input, size and signals with less delay than by calls of their own.

    ```python
    with session.terminal(columns=120, rows=40) as terminal:
        terminal.write("ls\\n")
        for output in terminal:
            sys.stdout.buffer.write(output.bytes)
    ```

    If the connection breaks or the server is started again, the output goes on behind its last byte: none is missing and none comes twice. Input
    that is on its way in that moment may be lost, and is never sent twice. One task reads, while others may write.
    """

    def __init__(self, transport: Transport, process: Process, path: str, *, after: int = 0, ends_process: bool = False) -> None:
        self.process = process
        self._transport = transport
        self._path = path
        self._ends_process = ends_process
        self._state = ChannelState(after)
        self._opening = Lock()
        self._socket: Optional[Socket] = None
        self._opened_at = 0.0
        self._failures = 0
        self._closed = False

    def __iter__(self) -> Iterator[ChannelOutput]:
        return self

    def __next__(self) -> ChannelOutput:
        """The next output. Reading slowly makes the process wait."""
        state = self._state
        while not state.waiting:
            if state.process is not None or self._closed:
                self.close()
                raise StopIteration
            self._receive()
        return state.waiting.popleft()

    def __enter__(self) -> Channel:
        return self

    def __exit__(self, *_: object) -> None:
        to_the_end(self._end)

    def write(self, data: Union[str, bytes]) -> None:
        """Writes to the input of the process.

        Raises what the server said about earlier input, as far as it has been read: `stdin-closed`, `process-ended`, or `InputLost`.
        """
        content = data.encode() if isinstance(data, str) else bytes(data)
        for at in range(0, len(content), PIECE_BYTES):
            self._send(content[at : at + PIECE_BYTES])

    def end_input(self) -> None:
        """Closes the input of the process."""
        self._say({"type": "end"})

    def signal(self, signal: str) -> None:
        """Sends a signal to the process."""
        self._say({"type": "signal", "signal": signal})

    def resize(self, columns: int, rows: int) -> None:
        """Changes the size of its terminal."""
        self._state.size = TerminalSize(columns=columns, rows=rows)
        self._say(_resizing(self._state.size))

    def close(self) -> None:
        """Closes the connection, which ends the iteration. The process goes on."""
        self._closed = True
        socket, self._socket = self._socket, None
        if socket is not None:
            socket.close()

    def _end(self) -> None:
        self.close()
        if self._ends_process and self._state.process is None:
            self.process.stop()

    def _say(self, command: Any) -> None:
        self._send(json.dumps(command))

    def _send(self, message: Union[bytes, str]) -> None:
        self._state.raise_refusal()
        socket = self._opened()
        try:
            socket.send(message)
        except SocketBroken as broken:
            self._drop(socket)
            raise InputLost("the connection broke while input was on its way") from broken

    def _receive(self) -> None:
        socket = self._opened()
        try:
            messages = socket.receive()
        except SocketBroken as broken:
            self._drop(socket)
            if self._closed:
                return
            self._failures = 1 if monotonic() - self._opened_at > GOOD_SECONDS else self._failures + 1
            if self._failures > self._transport.retries.limit:
                raise ConnectionFailed("the channel broke off") from broken
            sleep(self._transport.retries.pause(self._failures))
            return
        with self._opening:
            # A writer may have opened another connection meanwhile, which begins with these bytes again.
            if socket is self._socket:
                for message in messages:
                    self._failures = 0 if isinstance(message, bytes) else self._failures
                    self._state.take(message)
        if self._state.process is not None:
            self.process.record = self._state.process

    def _opened(self) -> Socket:
        with self._opening:
            if self._closed:
                raise HoldfastError("the channel is closed")
            if self._socket is None:
                socket = Socket.open(self._transport, self._path, after=self._state.seq)
                if self._closed:
                    socket.close()
                    raise HoldfastError("the channel is closed")
                self._socket, self._opened_at = socket, monotonic()
                if self._state.size is not None:
                    # If it has broken by now, the reader opens another one.
                    with suppress(SocketBroken):
                        socket.send(json.dumps(_resizing(self._state.size)))
            return self._socket

    def _drop(self, socket: Socket) -> None:
        with self._opening:
            if self._socket is socket:
                self._socket = None
        socket.close()


def _resizing(size: TerminalSize) -> Any:
    return {"type": "resize", "columns": size.columns, "rows": size.rows}
