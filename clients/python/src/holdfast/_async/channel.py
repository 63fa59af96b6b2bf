"""A live connection with a process, for terminals."""

from __future__ import annotations

import json
from contextlib import suppress
from time import monotonic
from typing import TYPE_CHECKING, Any, AsyncIterator, Optional, Union

from .._channel import ChannelOutput, ChannelState
from .._retries import GOOD_SECONDS
from ..errors import ConnectionFailed, HoldfastError, InputLost
from ..models import TerminalSize
from .driver import Lock, sleep, to_the_end
from .socket import AsyncSocket, SocketBroken
from .transport import AsyncTransport

if TYPE_CHECKING:
    from .processes import AsyncProcess

PIECE_BYTES = 64 * 1024


class AsyncChannel:
    """The output of a process as an iteration, and its input, size and signals with less delay than by calls of their own.

    ```python
    async with await session.terminal(columns=120, rows=40) as terminal:
        await terminal.write("ls\\n")
        async for output in terminal:
            sys.stdout.buffer.write(output.bytes)
    ```

    If the connection breaks or the server is started again, the output goes on behind its last byte: none is missing and none comes twice. Input
    that is on its way in that moment may be lost, and is never sent twice. One task reads, while others may write.
    """

    def __init__(self, transport: AsyncTransport, process: AsyncProcess, path: str, *, after: int = 0, ends_process: bool = False) -> None:
        self.process = process
        self._transport = transport
        self._path = path
        self._ends_process = ends_process
        self._state = ChannelState(after)
        self._opening = Lock()
        self._socket: Optional[AsyncSocket] = None
        self._opened_at = 0.0
        self._failures = 0
        self._closed = False

    def __aiter__(self) -> AsyncIterator[ChannelOutput]:
        return self

    async def __anext__(self) -> ChannelOutput:
        """The next output. Reading slowly makes the process wait."""
        state = self._state
        while not state.waiting:
            if state.process is not None or self._closed:
                await self.aclose()
                raise StopAsyncIteration
            await self._receive()
        return state.waiting.popleft()

    async def __aenter__(self) -> AsyncChannel:
        return self

    async def __aexit__(self, *_: object) -> None:
        await to_the_end(self._end)

    async def write(self, data: Union[str, bytes]) -> None:
        """Writes to the input of the process.

        Raises what the server said about earlier input, as far as it has been read: `stdin-closed`, `process-ended`, or `InputLost`.
        """
        content = data.encode() if isinstance(data, str) else bytes(data)
        for at in range(0, len(content), PIECE_BYTES):
            await self._send(content[at : at + PIECE_BYTES])

    async def end_input(self) -> None:
        """Closes the input of the process."""
        await self._say({"type": "end"})

    async def signal(self, signal: str) -> None:
        """Sends a signal to the process."""
        await self._say({"type": "signal", "signal": signal})

    async def resize(self, columns: int, rows: int) -> None:
        """Changes the size of its terminal."""
        self._state.size = TerminalSize(columns=columns, rows=rows)
        await self._say(_resizing(self._state.size))

    async def aclose(self) -> None:
        """Closes the connection, which ends the iteration. The process goes on."""
        self._closed = True
        socket, self._socket = self._socket, None
        if socket is not None:
            await socket.aclose()

    async def _end(self) -> None:
        await self.aclose()
        if self._ends_process and self._state.process is None:
            await self.process.stop()

    async def _say(self, command: Any) -> None:
        await self._send(json.dumps(command))

    async def _send(self, message: Union[bytes, str]) -> None:
        self._state.raise_refusal()
        socket = await self._opened()
        try:
            await socket.send(message)
        except SocketBroken as broken:
            await self._drop(socket)
            raise InputLost("the connection broke while input was on its way") from broken

    async def _receive(self) -> None:
        socket = await self._opened()
        try:
            messages = await socket.receive()
        except SocketBroken as broken:
            await self._drop(socket)
            if self._closed:
                return
            self._failures = 1 if monotonic() - self._opened_at > GOOD_SECONDS else self._failures + 1
            if self._failures > self._transport.retries.limit:
                raise ConnectionFailed("the channel broke off") from broken
            await sleep(self._transport.retries.pause(self._failures))
            return
        async with self._opening:
            # A writer may have opened another connection meanwhile, which begins with these bytes again.
            if socket is self._socket:
                for message in messages:
                    self._failures = 0 if isinstance(message, bytes) else self._failures
                    self._state.take(message)
        if self._state.process is not None:
            self.process.record = self._state.process

    async def _opened(self) -> AsyncSocket:
        async with self._opening:
            if self._closed:
                raise HoldfastError("the channel is closed")
            if self._socket is None:
                socket = await AsyncSocket.open(self._transport, self._path, after=self._state.seq)
                if self._closed:
                    await socket.aclose()
                    raise HoldfastError("the channel is closed")
                self._socket, self._opened_at = socket, monotonic()
                if self._state.size is not None:
                    # If it has broken by now, the reader opens another one.
                    with suppress(SocketBroken):
                        await socket.send(json.dumps(_resizing(self._state.size)))
            return self._socket

    async def _drop(self, socket: AsyncSocket) -> None:
        async with self._opening:
            if self._socket is socket:
                self._socket = None
        await socket.aclose()


def _resizing(size: TerminalSize) -> Any:
    return {"type": "resize", "columns": size.columns, "rows": size.rows}
