"""Output of steps and processes as bytes."""

from __future__ import annotations

from typing import AsyncIterator, Callable, Dict, Mapping, Optional

OnBegin = Callable[[Mapping[str, str]], None]


async def read_at_most(pieces: AsyncIterator[bytes], bytes_max: int) -> bytes:
    """The beginning. The rest is not fetched: a file of a sandbox can be larger than any memory."""
    content = bytearray()
    try:
        async for piece in pieces:
            content += piece
            if len(content) >= bytes_max:
                break
    finally:
        await pieces.aclose()  # type: ignore[attr-defined]
    return bytes(content[:bytes_max])


class AsyncOutput:
    """Output in pieces, byte for byte."""

    def __init__(self, read: Callable[[OnBegin], AsyncIterator[bytes]]) -> None:
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

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self

    async def __anext__(self) -> bytes:
        return await self._pieces.__anext__()

    async def aclose(self) -> None:
        """Stops reading."""
        await self._pieces.aclose()  # type: ignore[attr-defined]
