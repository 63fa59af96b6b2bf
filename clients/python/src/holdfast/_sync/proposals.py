# Generated from `_async/proposals.py` by `generate/sync.py`: do not edit.
"""Changes of files that wait for the decision of the host."""

from __future__ import annotations

from typing import Iterator, List, Optional

from .. import _requests as requests
from ..models import Proposal, ProposalWithChanges
from .transport import Transport


class Proposals:
    """Changes of files that wait for a decision."""

    def __init__(self, transport: Transport, session_id: str) -> None:
        self._transport = transport
        self._session_id = session_id

    def list(self, *, status: Optional[str] = None) -> Iterator[Proposal]:
        """In the order in which they were made; with `status="open"` those that wait."""
        return self._transport.pages(Proposal, requests.get(self._path(), status=status))

    def get(self, proposal_id: str) -> ProposalWithChanges:
        """With every change, and a unified diff of text files."""
        return self._transport.fetch(ProposalWithChanges, requests.get(self._path(proposal_id)))

    def commit(self, proposal_id: str, *, paths: Optional[List[str]] = None) -> Proposal:
        """Takes all changes, or those of `paths`, into the world. Needs the scope `host`."""
        return self._decide(proposal_id, "commit", paths)

    def reject(self, proposal_id: str, *, paths: Optional[List[str]] = None) -> Proposal:
        """Puts the files in the sandbox back. Needs the scope `host`."""
        return self._decide(proposal_id, "reject", paths)

    def _decide(self, proposal_id: str, verb: str, paths: Optional[List[str]]) -> Proposal:
        return self._transport.fetch(Proposal, requests.act(self._path(proposal_id, verb), {"paths": paths}))

    def _path(self, *parts: str) -> str:
        return requests.session_path(self._session_id, "proposals", *parts)
