"""Web addresses for servers that run in the sandbox."""

from __future__ import annotations

from typing import AsyncIterator, Optional

from .. import _requests as requests
from ..models import OpenedPort, Port
from .transport import AsyncTransport


class AsyncPorts:
    """Web addresses of servers in the sandbox."""

    def __init__(self, transport: AsyncTransport, session_id: str) -> None:
        self._transport = transport
        self._session_id = session_id

    async def open(
        self,
        port: int,
        *,
        access: Optional[str] = None,
        expires_seconds: Optional[int] = None,
        wait_seconds: Optional[int] = None,
    ) -> OpenedPort:
        """Gives a port a web address. `access` is `key`, `link` or `public`; `wait_seconds` waits until a server listens."""
        body = {
            "port": port,
            "access": access,
            "expires_seconds": expires_seconds,
            "wait_seconds": wait_seconds,
        }
        return await self._transport.fetch(OpenedPort, requests.create(self._path(), body))

    def list(self) -> AsyncIterator[Port]:
        """Newest first, also those that are closed by now."""
        return self._transport.pages(Port, requests.get(self._path()))

    async def revoke(self, port_id: str) -> None:
        """Closes the address, and the connections through it."""
        await self._transport.json(requests.delete(self._path(port_id)))

    def _path(self, *parts: str) -> str:
        return requests.session_path(self._session_id, "ports", *parts)
