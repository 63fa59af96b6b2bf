"""Snapshots with a name, which outlive the session that they were taken of."""

from __future__ import annotations

from typing import Any, AsyncIterator

from .. import _requests as requests
from .._requests import Request
from ..models import ListedSnapshot, NamedSnapshot
from .transport import AsyncTransport


class AsyncNamedSnapshots:
    """Snapshots with a name, which outlive their session."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(self, name: str, snapshot_id: str) -> NamedSnapshot:
        """Names a snapshot. `holdfast.sessions.create(from_snapshot=name)` starts from it."""
        body = {"name": name, "snapshot_id": snapshot_id}
        return await self._transport.fetch(NamedSnapshot, requests.create("/v1/snapshots", body))

    def list(self) -> AsyncIterator[ListedSnapshot]:
        """All named snapshots of the tenant."""
        return self._transport.pages(ListedSnapshot, requests.get("/v1/snapshots"))

    async def get(self, name: str) -> NamedSnapshot:
        """The snapshot with this name."""
        return await self._transport.fetch(NamedSnapshot, requests.get(_path(name)))

    async def delete(self, name: str) -> None:
        """Deletes the name with its snapshot."""
        await self._transport.json(requests.delete(_path(name)))

    def archive(self, name: str) -> AsyncIterator[bytes]:
        """The snapshot as a file, in pieces."""
        return self._transport.bytes_of(f"{_path(name)}/archive")

    async def restore(self, name: str, content: Any) -> NamedSnapshot:
        """Stores such a file under a name: bytes, an open file, or an iterable of bytes."""
        headers = {"Content-Type": "application/octet-stream"}
        request = Request("PUT", f"{_path(name)}/archive", content=content, headers=headers, repeatable=True)
        return await self._transport.fetch(NamedSnapshot, request)


def _path(name: str) -> str:
    return f"/v1/snapshots/{requests.part_of_path(name)}"
