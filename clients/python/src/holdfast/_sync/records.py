# Generated from `_async/records.py` by `generate/sync.py`: do not edit.
"""All that is kept of a session: artifacts, the audit log, deliveries of webhooks, and exports."""

from __future__ import annotations

from dataclasses import replace
from typing import Iterator, List, Optional

from .. import _requests as requests
from ..models import Artifact, AuditEntry, AuditStatistics, ExportedContext, OfferedLanguage, OperationStatistics, SessionLanguages
from ..models import WebhookDelivery
from .transport import Transport


class Records:
    """All that is kept of a session."""

    def __init__(self, transport: Transport, session_id: str) -> None:
        self._transport = transport
        self._session_id = session_id

    def artifacts(self, *, step_id: Optional[str] = None, signed_seconds: Optional[int] = None) -> Iterator[Artifact]:
        """The changes of files by steps. Their URLs are whole addresses; with `signed_seconds`, they need no key for that long."""
        request = requests.get(self._path("artifacts"), step_id=step_id, signed_seconds=signed_seconds)
        for artifact in self._transport.pages(Artifact, request):
            yield self._addressed(artifact)

    def artifact(self, artifact_id: str, *, signed_seconds: Optional[int] = None) -> Artifact:
        """One change of a file."""
        request = requests.get(self._path("artifacts", artifact_id), signed_seconds=signed_seconds)
        return self._addressed(self._transport.fetch(Artifact, request))

    def artifact_content(self, artifact_id: str) -> Iterator[bytes]:
        """The file as it was after its step, in pieces."""
        return self._transport.bytes_of(self._path("artifacts", artifact_id, "content"))

    def audit(self, *, turn: Optional[int] = None, operation: Optional[str] = None) -> Iterator[AuditEntry]:
        """Every operation, allowed or denied."""
        return self._transport.pages(AuditEntry, requests.get(self._path("audit"), turn=turn, operation=operation))

    def audit_statistics(self) -> List[OperationStatistics]:
        """How often each operation was allowed and denied."""
        request = requests.get(self._path("audit", "statistics"))
        return (self._transport.fetch(AuditStatistics, request)).items

    def webhook_deliveries(self) -> Iterator[WebhookDelivery]:
        """The attempts to call the webhooks of the session."""
        return self._transport.pages(WebhookDelivery, requests.get(self._path("webhooks", "deliveries")))

    def languages(self) -> List[OfferedLanguage]:
        """The languages of the session's sandbox."""
        request = requests.get(self._path("languages"))
        return (self._transport.fetch(SessionLanguages, request)).languages

    def export(self, *, context_id: Optional[str] = None) -> ExportedContext:
        """The steps of a context, with which `holdfast.sessions.create(from_export=…)` makes it anew."""
        request = requests.get(self._path("export"), format="json", context_id=context_id)
        return self._transport.fetch(ExportedContext, request)

    def export_source(self, *, context_id: Optional[str] = None) -> str:
        """The code of a context as one source text."""
        headers = {"Accept": "*/*"}
        request = requests.get(self._path("export"), headers=headers, format="script", context_id=context_id)
        return (self._transport.whole(request)).decode()

    def _addressed(self, artifact: Artifact) -> Artifact:
        return artifact if artifact.url is None else replace(artifact, url=self._transport.address(artifact.url))

    def _path(self, *parts: str) -> str:
        return requests.session_path(self._session_id, *parts)
