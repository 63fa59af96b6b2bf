"""Changes of files that wait for the decision of the host."""

from __future__ import annotations

from typing import AsyncIterator, List, Optional

from .. import _requests as requests
from ..models import Proposal, ProposalWithChanges
from .transport import AsyncTransport


class AsyncProposals:
    """Changes of files that wait for a decision."""

    def __init__(self, transport: AsyncTransport, session_id: str) -> None:
        self._transport = transport
        self._session_id = session_id

    def list(self, *, status: Optional[str] = None) -> AsyncIterator[Proposal]:
        """In the order in which they were made; with `status="open"` those that wait."""
        return self._transport.pages(Proposal, requests.get(self._path(), status=status))

    async def get(self, proposal_id: str) -> ProposalWithChanges:
        """With every change, and a unified diff of text files."""
        return await self._transport.fetch(ProposalWithChanges, requests.get(self._path(proposal_id)))

    async def commit(self, proposal_id: str, *, paths: Optional[List[str]] = None) -> Proposal:
        """Takes all changes, or those of `paths`, into the world. Needs the scope `host`."""
        return await self._decide(proposal_id, "commit", paths)

    async def reject(self, proposal_id: str, *, paths: Optional[List[str]] = None) -> Proposal:
        """Puts the files in the sandbox back. Needs the scope `host`."""
        return await self._decide(proposal_id, "reject", paths)

    async def _decide(self, proposal_id: str, verb: str, paths: Optional[List[str]]) -> Proposal:
        return await self._transport.fetch(Proposal, requests.act(self._path(proposal_id, verb), {"paths": paths}))

    def _path(self, *parts: str) -> str:
        return requests.session_path(self._session_id, "proposals", *parts)
