"""Creating and finding sessions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, AsyncIterator, Dict, List, Optional

from .. import _requests as requests
from ..models import CreateOptions, SessionRecord
from .session import AsyncSession
from .transport import AsyncTransport

if TYPE_CHECKING:
    from typing_extensions import Unpack


class AsyncSessions:
    """The sessions of a tenant."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(self, **options: Unpack[CreateOptions]) -> AsyncSession:
        """A new session, or with a `client_key` the living one with this key. See `CreateOptions`."""
        record, is_new = await self._transport.fetch_made(SessionRecord, requests.create("/v1/sessions", dict(options)))
        return AsyncSession(self._transport, record, is_own=is_new)

    async def get(self, session_id: str) -> AsyncSession:
        """The session with this id, also if it has ended."""
        request = requests.get(requests.session_path(session_id))
        return AsyncSession(self._transport, await self._transport.fetch(SessionRecord, request))

    async def list(
        self,
        *,
        status: Optional[List[str]] = None,
        metadata: Optional[Dict[str, str]] = None,
        client_key: Optional[str] = None,
        created_after: Optional[str] = None,
        created_before: Optional[str] = None,
        order: Optional[str] = None,
    ) -> AsyncIterator[AsyncSession]:
        """All sessions that fit, from page to page."""
        query: Dict[str, Any] = {
            "status": status,
            "metadata": [f"{key}:{value}" for key, value in metadata.items()] if metadata else None,
            "client_key": client_key,
            "created_after": created_after,
            "created_before": created_before,
            "order": order,
        }
        async for record in self._transport.pages(SessionRecord, requests.get("/v1/sessions", **query)):
            yield AsyncSession(self._transport, record)
