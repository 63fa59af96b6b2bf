"""The parts that differ between asynchronous and synchronous programs by more than a keyword."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from typing import Any, Callable, Iterator

from .._bodies import PIECE_BYTES, Replay, replay_of

sleep = time.sleep


def _pieces(file: Any) -> Iterator[bytes]:
    while True:
        piece = file.read(PIECE_BYTES)
        if not piece:
            return
        yield piece.encode() if isinstance(piece, str) else piece


def body_of(content: Any) -> Replay:
    """How to make the body of each attempt, and whether there can be more than one."""
    return replay_of(content, _pieces, iter)


def write_to(path: Any, pieces: Any) -> None:
    """The file is there once it is whole. Until then, one that was there before stays."""
    part = f"{os.fsdecode(path)}.part"
    try:
        with open(part, "wb") as file:
            for piece in pieces:
                file.write(piece)
        os.replace(part, path)
    except BaseException:
        with suppress(OSError):
            os.remove(part)
        raise
    finally:
        pieces.close()


def to_the_end(work: Callable[[], None]) -> None:
    """Does the work, which nothing cancels."""
    work()


def result_of(function: Callable[..., Any], arguments: Any) -> Any:
    """Calls a function of the caller."""
    return function(*arguments)


__all__ = ["body_of", "result_of", "sleep", "to_the_end", "write_to"]
