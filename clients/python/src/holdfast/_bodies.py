"""Bodies of requests: bytes, text, files, or any iterable of bytes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable

PIECE_BYTES = 64 * 1024


@dataclass(frozen=True)
class Replay:
    """Makes the body of an attempt. `again` says whether there can be a second one."""

    make: Callable[[], Any]
    again: bool


def replay_of(content: Any, read: Callable[[Any], Any], iterate: Callable[[Any], Any]) -> Replay:
    if isinstance(content, str):
        content = content.encode()
    if isinstance(content, (bytearray, memoryview)):
        content = bytes(content)
    if content is None or isinstance(content, bytes):
        return Replay(lambda: content, again=True)
    if not hasattr(content, "read"):
        return Replay(lambda: iterate(content), again=False)
    if not (hasattr(content, "seekable") and content.seekable()):
        return Replay(lambda: read(content), again=False)
    start = content.tell()

    def from_start() -> Any:
        content.seek(start)
        return read(content)

    return Replay(from_start, again=True)
