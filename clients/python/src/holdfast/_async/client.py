"""The client: everything begins here."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, AsyncIterator, Dict, Optional

import httpx

from .. import _requests as requests
from .._retries import Retries
from .._version import USER_AGENT
from ..models import ApiKey, CreatedApiKey, Job, JobOptions, ProfileLanguages, Readiness, TenantAuditEntry
from .jobs import run_job
from .named_snapshots import AsyncNamedSnapshots
from .sessions import AsyncSessions
from .transport import AsyncTransport

if TYPE_CHECKING:
    from typing_extensions import Unpack


class AsyncHoldfast:
    """A Holdfast service.

    ```python
    async with AsyncHoldfast("http://127.0.0.1:8080") as holdfast:
        session = await holdfast.sessions.create()
        step = await session.run("6 * 7")
        print(step.text)
    ```

    `url` and `api_key` default to `HOLDFAST_URL` and `HOLDFAST_API_KEY`. `client` is an `httpx.AsyncClient` of your own, for proxies or
    certificates. Its base URL and its `Authorization` come before the environment. You close it, and make another one after a fork.
    """

    def __init__(
        self,
        url: Optional[str] = None,
        *,
        api_key: Optional[str] = None,
        retries: Retries = Retries(),
        client: Optional[httpx.AsyncClient] = None,
    ) -> None:
        self._own = client is None
        make_client = _make_client if client is None else None
        client = client or _make_client()
        url = url or str(client.base_url) or os.environ.get("HOLDFAST_URL") or "http://127.0.0.1:8080"
        if not url.lower().startswith(("http://", "https://")):
            raise ValueError("the URL of a service begins with http:// or https://")
        key = None if "Authorization" in client.headers else os.environ.get("HOLDFAST_API_KEY")
        self._transport = AsyncTransport(
            client, retries, url, requests.authorization(key if api_key is None else api_key), make_client=make_client
        )
        self.sessions: AsyncSessions = AsyncSessions(self._transport)
        self.snapshots: AsyncNamedSnapshots = AsyncNamedSnapshots(self._transport)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._transport.shown_url!r})"

    async def __aenter__(self) -> AsyncHoldfast:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Closes the connections. Sessions stay."""
        if self._own:
            await self._transport.client.aclose()

    async def run_job(self, language: str, code: str, *, inline: bool = True, **options: Unpack[JobOptions]) -> Job:
        """Runs a program once in a session of its own, which is completed afterwards, and waits for its end. See `JobOptions`."""
        return await run_job(self._transport, "/v1/run", {"language": language, "code": code, **options}, inline)

    async def languages(self, profile: Optional[str] = None) -> ProfileLanguages:
        """The languages that sessions of a profile offer."""
        return await self._transport.fetch(ProfileLanguages, requests.get("/v1/languages", profile=profile))

    async def readiness(self) -> Readiness:
        """Whether the service can work, and what stands in its way."""
        return await self._transport.fetch(Readiness, requests.get("/readyz"))

    def audit(self, *, operation: Optional[str] = None) -> AsyncIterator[TenantAuditEntry]:
        """Everything that happened in the tenant outside its sessions."""
        return self._transport.pages(TenantAuditEntry, requests.get("/v1/audit", operation=operation))

    def api_keys(self) -> AsyncIterator[ApiKey]:
        """All API keys, without the keys themselves. Needs the scope `admin`."""
        return self._transport.pages(ApiKey, requests.get("/v1/api-keys"))

    async def create_api_key(self, tenant: str, scopes: list[str], **options: Any) -> CreatedApiKey:
        """A new API key, which is shown only once. Needs the scope `admin`."""
        body: Dict[str, Any] = {"tenant": tenant, "scopes": scopes, **options}
        return await self._transport.fetch(CreatedApiKey, requests.create("/v1/api-keys", body))

    async def revoke_api_key(self, key_id: str) -> None:
        """The key stops working at once."""
        await self._transport.json(requests.delete(f"/v1/api-keys/{requests.part_of_path(key_id)}"))


def _make_client() -> httpx.AsyncClient:
    # Each stream has a connection to itself. With a limit, calls would wait for streams that may never end.
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=20)
    return httpx.AsyncClient(headers={"User-Agent": USER_AGENT}, limits=limits)
