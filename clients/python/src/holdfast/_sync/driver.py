"""The parts that differ between asynchronous and synchronous programs by more than a keyword."""

from __future__ import annotations

import os
import socket
import threading
import time
from contextlib import suppress
from typing import Any, Callable, Iterator

import httpx

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


Lock = threading.Lock


def take_now(lock: threading.Lock) -> bool:
    """Takes a lock if it is free."""
    return lock.acquire(blocking=False)


def hang_up(response: httpx.Response) -> None:
    """Closes the connection of an answer, also while another thread reads from it, which closing alone would not wake."""
    connection = response.extensions["network_stream"].get_extra_info("socket")
    with suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)
    response.close()


def result_of(function: Callable[..., Any], arguments: Any) -> Any:
    """Calls a function of the caller."""
    return function(*arguments)


__all__ = ["Lock", "body_of", "hang_up", "result_of", "sleep", "take_now", "to_the_end", "write_to"]
