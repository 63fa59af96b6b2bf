"""The parts that differ between asynchronous and synchronous programs by more than a keyword."""

from __future__ import annotations

from typing import Any, AsyncIterator, Callable

import anyio
import anyio.to_thread

from .._bodies import PIECE_BYTES, Replay, replay_of

sleep = anyio.sleep


async def _pieces(file: Any) -> AsyncIterator[bytes]:
    while True:
        piece = await anyio.to_thread.run_sync(file.read, PIECE_BYTES)
        if not piece:
            return
        yield piece.encode() if isinstance(piece, str) else piece


async def _of_iterable(pieces: Any) -> AsyncIterator[bytes]:
    for piece in pieces:
        yield piece


def body_of(content: Any) -> Replay:
    """How to make the body of each attempt, and whether there can be more than one."""
    if hasattr(content, "__aiter__"):
        return Replay(lambda: content, again=False)
    return replay_of(content, _pieces, _of_iterable)


async def write_to(path: Any, pieces: AsyncIterator[bytes]) -> None:
    async with await anyio.open_file(path, "wb") as file:
        async for piece in pieces:
            await file.write(piece)


async def result_of(function: Callable[..., Any], arguments: Any) -> Any:
    """Calls a function of the caller, which may be asynchronous."""
    value = function(*arguments)
    return await value if hasattr(value, "__await__") else value


__all__ = ["body_of", "result_of", "sleep", "write_to"]
