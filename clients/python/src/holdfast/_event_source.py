"""Server-sent events out of pieces of bytes (WHATWG HTML, 9.2), as far as the service uses them."""

from __future__ import annotations

import json
from typing import Any, Dict, Iterator, List

from .errors import HoldfastError


EVENT_BYTES = 256 * 1024 * 1024
"""More than any event of the service has. Without a bound, a server that never ends a line would take all memory."""


class EventSource:
    """Lines end with a line feed and nothing else: the JSON in them may contain the other line separators of Unicode."""

    def __init__(self) -> None:
        self._begun: List[bytes] = []
        self._type = b""
        self._content: List[bytes] = []
        self._bytes = 0

    def feed(self, piece: bytes) -> Iterator[Dict[str, Any]]:
        """The events that this piece completes. A failure of the server is an event of the type `problem`."""
        *lines, rest = piece.split(b"\n")
        for line in lines:
            self._count(len(line))
            whole = b"".join([*self._begun, line]).rstrip(b"\r")
            self._begun.clear()
            if whole:
                self._take(whole)
            else:
                self._bytes = 0
                if self._content:
                    yield self._event()
        if rest:
            self._count(len(rest))
            self._begun.append(rest)

    def _count(self, size: int) -> None:
        self._bytes += size
        if self._bytes > EVENT_BYTES:
            raise HoldfastError(f"the server sent an event of more than {EVENT_BYTES // 1024 // 1024} MiB")

    def _take(self, line: bytes) -> None:
        name, _, value = line.partition(b":")
        value = value[1:] if value.startswith(b" ") else value
        if name == b"event":
            self._type = value
        elif name == b"data":
            self._content.append(value)

    def _event(self) -> Dict[str, Any]:
        content, kind = json.loads(b"\n".join(self._content)), self._type
        self._content.clear()
        self._type = b""
        return {"type": "problem", "problem": content} if kind == b"problem" else content
