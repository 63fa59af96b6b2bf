# Generated from `_async/sessions.py` by `generate/sync.py`: do not edit.
"""Creating and finding sessions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterator, Dict, List, Optional

from .. import _requests as requests
from ..models import CreateOptions, SessionRecord
from .session import Session
from .transport import Transport

if TYPE_CHECKING:
    from typing_extensions import Unpack


class Sessions:
    """The sessions of a tenant."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(self, **options: Unpack[CreateOptions]) -> Session:
        """A new session, or with a `client_key` the living one with this key. See `CreateOptions`."""
        record, is_new = self._transport.fetch_made(SessionRecord, requests.create("/v1/sessions", dict(options)))
        return Session(self._transport, record, is_own=is_new)

    def get(self, session_id: str) -> Session:
        """The session with this id, also if it has ended."""
        request = requests.get(requests.session_path(session_id))
        return Session(self._transport, self._transport.fetch(SessionRecord, request))

    def list(
        self,
        *,
        status: Optional[List[str]] = None,
        metadata: Optional[Dict[str, str]] = None,
        client_key: Optional[str] = None,
        created_after: Optional[str] = None,
        created_before: Optional[str] = None,
        order: Optional[str] = None,
    ) -> Iterator[Session]:
        """All sessions that fit, from page to page."""
        query: Dict[str, Any] = {
            "status": status,
            "metadata": [f"{key}:{value}" for key, value in metadata.items()] if metadata else None,
            "client_key": client_key,
            "created_after": created_after,
            "created_before": created_before,
            "order": order,
        }
        for record in self._transport.pages(SessionRecord, requests.get("/v1/sessions", **query)):
            yield Session(self._transport, record)
