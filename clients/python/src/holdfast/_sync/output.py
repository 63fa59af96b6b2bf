# Generated from `_async/output.py` by `generate/sync.py`: do not edit.
"""Output of steps and processes as bytes."""

from __future__ import annotations

from typing import Iterator, Callable, Dict, Mapping, Optional

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
        # Without a reference to this object, so that one that is dropped closes its connection at once.
        self._headers: Dict[str, str] = {}
        self._pieces = read(self._headers.update)

    @property
    def truncated(self) -> Optional[bool]:
        """Whether a part of it is missing here: its end, if a step wrote more than is stored or still runs, or the beginning of a process's.

        It is known from the first piece on.
        """
        if not self._headers:
            return None
        return self._headers.get("holdfast-output") == "beginning" or self._headers.get("holdfast-offset", "0") != "0"

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        return self._pieces.__next__()

    def close(self) -> None:
        """Stops reading."""
        self._pieces.close()  # type: ignore[attr-defined]
