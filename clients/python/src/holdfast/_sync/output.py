# Generated from `_async/output.py` by `generate/sync.py`: do not edit.
"""Output of steps and processes as bytes."""

from __future__ import annotations

from typing import Iterator, Callable, Mapping, Optional

OnBegin = Callable[[Mapping[str, str]], None]


def read_at_most(pieces: Iterator[bytes], bytes_max: int) -> bytes:
    """The beginning. The rest is not fetched: a file of a sandbox can be larger than any memory."""
    content = bytearray()
    try:
        for piece in pieces:
            content += piece
            if len(content) >= bytes_max:
                break
    finally:
        pieces.close()  # type: ignore[attr-defined]
    return bytes(content[:bytes_max])


class Output:
    """Output in pieces, byte for byte."""

    def __init__(self, read: Callable[[OnBegin], Iterator[bytes]]) -> None:
        self.truncated: Optional[bool] = None
        """Whether a part of it is missing here: its end, if a step wrote more than is stored or still runs, or the beginning of a process's.

        It is known from the first piece on.
        """
        self._pieces = read(self._begin)

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        return self._pieces.__next__()

    def close(self) -> None:
        """Stops reading."""
        self._pieces.close()  # type: ignore[attr-defined]

    def _begin(self, headers: Mapping[str, str]) -> None:
        self.truncated = headers.get("holdfast-output") == "beginning" or headers.get("holdfast-offset", "0") != "0"
