"""Saved states of the contexts of a session."""

from __future__ import annotations

from typing import AsyncIterator, List, Optional

from .. import _requests as requests
from ..models import Restored, Snapshot
from .transport import AsyncTransport


class AsyncSnapshots:
    """Saved states of contexts."""

    def __init__(self, transport: AsyncTransport, session_id: str) -> None:
        self._transport = transport
        self._session_id = session_id

    async def create(self, *, context_id: Optional[str] = None, files: Optional[bool] = None) -> Snapshot:
        """Saves the state of a context. The answer lists what was saved, and what could not be and why."""
        body = {"context_id": context_id, "files": files}
        return await self._transport.fetch(Snapshot, requests.act(self._path(), body))

    async def list(self) -> List[Snapshot]:
        """All snapshots of the session."""
        return await self._transport.fetch_list(Snapshot, requests.get(self._path()))

    async def restore(self, snapshot_id: str) -> Restored:
        """Puts a context back into a saved state."""
        path = requests.session_path(self._session_id, "restore")
        return await self._transport.fetch(Restored, requests.act(path, {"snapshot_id": snapshot_id}))

    async def delete(self, snapshot_id: str) -> None:
        """Deletes a snapshot."""
        await self._transport.json(requests.delete(self._path(snapshot_id)))

    def archive(self, snapshot_id: str) -> AsyncIterator[bytes]:
        """The snapshot as a file, in pieces. `holdfast.snapshots.restore` takes it."""
        return self._transport.bytes_of(self._path(snapshot_id, "archive"))

    def _path(self, *parts: str) -> str:
        return requests.session_path(self._session_id, "snapshots", *parts)
