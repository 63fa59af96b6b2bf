"""How far the streams of a session and of its files have been read. They end with the session, and no record has their end."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Dict, Optional

from . import _requests as requests
from ._positions import event_of
from ._requests import Request
from .models import FileEndedEvent, FileEvent, FileOverflowEvent, FileReadyEvent, SessionEvent


class _Endless:
    """A stream without a record that would have its end."""

    def record(self) -> Optional[Request]:
        return None

    def conclude(self, record: Dict[str, Any]) -> None:
        return None


class SessionPosition(_Endless):
    """Everything in a session. Its place is a cursor, behind which the server goes on without a gap and without a repeat."""

    def __init__(self, session_id: str, *, after: Optional[str] = None, start: str = "start") -> None:
        self.path = requests.session_path(session_id, "events")
        self.cursor, self.start = after, start
        self.ended = False

    def request(self) -> Request:
        place = {"from_": self.start} if self.cursor is None else {"after": self.cursor}
        return requests.follow(self.path, **place)

    def accept(self, raw: Dict[str, Any]) -> SessionEvent:
        self.cursor = raw["cursor"]
        return event_of(SessionEvent, raw)  # type: ignore[no-any-return]


class WatchPosition(_Endless):
    """Changes of files, which are not kept: after a break there is an `overflow`, because some may have been missed."""

    def __init__(self, session_id: str, path: str, recursive: bool) -> None:
        self.watch = requests.follow(requests.session_path(session_id, "files", "events"), path=path, recursive=recursive)
        self.ended = False
        self.ready = False

    def request(self) -> Request:
        return replace(self.watch)

    def accept(self, raw: Dict[str, Any]) -> FileEvent:
        if raw["type"] == "ready" and self.ready:
            return FileOverflowEvent(type="overflow")
        event: FileEvent = event_of(FileEvent, raw)
        if isinstance(event, FileReadyEvent):
            self.ready = True
        if isinstance(event, FileEndedEvent):
            self.ended = True
        return event
