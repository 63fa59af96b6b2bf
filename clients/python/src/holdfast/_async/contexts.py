"""Contexts: the interpreter states of a session, each with names of its own."""

from __future__ import annotations

from typing import Dict, List, Optional

from .. import _requests as requests
from ..models import BackgroundPage, Completions, Context, ContextLimits, Inspection, ParsedCode
from .transport import AsyncTransport


class AsyncContexts:
    """The interpreter states of a session."""

    def __init__(self, transport: AsyncTransport, session_id: str) -> None:
        self._transport = transport
        self._session_id = session_id

    async def create(
        self,
        language: str = "python",
        *,
        cwd: Optional[str] = None,
        env: Optional[Dict[str, str]] = None,
        limits: Optional[ContextLimits] = None,
    ) -> Context:
        """A further context. `session.run(code, context_id=context.id)` runs in it."""
        body = {"language": language, "cwd": cwd, "env": env, "limits": limits}
        return await self._transport.fetch(Context, requests.create(self._path(), body))

    async def list(self) -> List[Context]:
        """All contexts, the default ones first."""
        return await self._transport.fetch_list(Context, requests.get(self._path()))

    async def delete(self, context_id: str) -> None:
        """Ends a context and its interpreter."""
        await self._transport.json(requests.delete(self._path(context_id)))

    async def restart(self, context_id: str) -> Context:
        """A new interpreter without the old state."""
        return await self._transport.fetch(Context, requests.act(self._path(context_id, "restart")))

    async def complete(self, context_id: str, code: str, cursor: Optional[int] = None) -> Completions:
        """Completions at the cursor, which counts code points. By default it is at the end."""
        return await self._transport.fetch(Completions, self._at_cursor(context_id, "complete", code, cursor))

    async def inspect(self, context_id: str, code: str, cursor: Optional[int] = None) -> Inspection:
        """The meaning of the name at the cursor."""
        return await self._transport.fetch(Inspection, self._at_cursor(context_id, "inspect", code, cursor))

    async def parse(self, context_id: str, code: str) -> ParsedCode:
        """Whether the code is complete, for an editor that decides about a further line."""
        request = requests.act(self._path(context_id, "parse"), {"code": code}, repeatable=True)
        return await self._transport.fetch(ParsedCode, request)

    async def background(self, context_id: str, *, after: int = 0) -> BackgroundPage:
        """Output of threads and children that came between steps."""
        return await self._transport.fetch(BackgroundPage, requests.get(self._path(context_id, "background"), after=after))

    def _at_cursor(self, context_id: str, verb: str, code: str, cursor: Optional[int]) -> requests.Request:
        body = {"code": code, "cursor": len(code) if cursor is None else cursor}
        return requests.act(self._path(context_id, verb), body, repeatable=True)

    def _path(self, *parts: str) -> str:
        return requests.session_path(self._session_id, "contexts", *parts)
