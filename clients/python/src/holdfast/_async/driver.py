"""The parts that differ between asynchronous and synchronous programs by more than a keyword."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import Any, AsyncIterator, Awaitable, Callable

import anyio
import anyio.to_thread
import httpx

from .._bodies import PIECE_BYTES, Replay, replay_of
from ..errors import ConnectionFailed

sleep = anyio.sleep
CLOSING_SECONDS = 60


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


async def write_to(path: Any, pieces: Any) -> None:
    """The file is there once it is whole. Until then, one that was there before stays."""
    part = f"{os.fsdecode(path)}.part"
    try:
        with open(part, "wb") as file:
            async for piece in pieces:
                await anyio.to_thread.run_sync(file.write, piece)
        os.replace(part, path)
    except BaseException:
        with suppress(OSError):
            os.remove(part)
        raise
    finally:
        await pieces.aclose()


async def to_the_end(work: Callable[[], Awaitable[None]]) -> None:
    """Does the work even if its task has been cancelled."""
    try:
        with anyio.fail_after(CLOSING_SECONDS, shield=True):
            await work()
    except TimeoutError:
        raise ConnectionFailed(f"the server did not answer within {CLOSING_SECONDS} s") from None


Lock = anyio.Lock


def take_now(lock: Lock) -> bool:
    """Takes a lock if it is free."""
    try:
        lock.acquire_nowait()
    except anyio.WouldBlock:
        return False
    return True


async def hang_up(response: httpx.Response) -> None:
    """Closes the connection of an answer, also while another task reads from it."""
    await response.aclose()


async def result_of(function: Callable[..., Any], arguments: Any) -> Any:
    """Calls a function of the caller, which may be asynchronous."""
    value = function(*arguments)
    return await value if hasattr(value, "__await__") else value


__all__ = ["Lock", "body_of", "hang_up", "result_of", "sleep", "take_now", "to_the_end", "write_to"]
