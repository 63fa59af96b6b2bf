# Generated from `_async/shares.py` by `generate/sync.py`: do not edit.
"""Links with which people without a key join a session."""

from __future__ import annotations

from dataclasses import replace
from typing import Iterator, Optional

from .. import _requests as requests
from ..models import CreatedShare, Share
from .transport import Transport


class Shares:
    """Links with which people join."""

    def __init__(self, transport: Transport, session_id: str) -> None:
        self._transport = transport
        self._session_id = session_id

    def create(self, access: str = "watch", *, expires_seconds: int = 3600, name: Optional[str] = None) -> CreatedShare:
        """A link to `watch` the session or to `run` steps in it. Its token is shown only once. Needs the scope `host`."""
        body = {"access": access, "expires_seconds": expires_seconds, "name": name}
        share = self._transport.fetch(CreatedShare, requests.create(self._path(), body))
        return replace(share, url=self._transport.address(share.url))

    def list(self) -> Iterator[Share]:
        """All links, also those that have expired."""
        return self._transport.pages(Share, requests.get(self._path()))

    def revoke(self, share_id: str) -> None:
        """The link stops working, and its streams end."""
        self._transport.json(requests.delete(self._path(share_id)))

    def _path(self, *parts: str) -> str:
        return requests.session_path(self._session_id, "shares", *parts)
