"""How far a stream of events has been read, and the request that goes on from there."""

from __future__ import annotations

from typing import Any, Callable, Dict, Optional, Protocol

from . import _requests as requests
from ._decode import decode
from ._requests import Request
from .models import FinishedEvent, ProcessEvent, ProcessFinishedEvent, ProcessRecord, Step, StepEvent, UnknownEvent


class Position(Protocol):
    """A place in a stream. `ended` says that nothing more can come."""

    ended: bool

    def request(self) -> Request: ...

    def accept(self, raw: Dict[str, Any]) -> Any:
        """The event, or `None` if it was there before."""

    def record(self) -> Optional[Request]:
        """Asks for the step or the process itself, if the server says that there are no more events."""

    def conclude(self, record: Dict[str, Any]) -> Any:
        """The last event, made from the record, or `None` if the caller has seen it. Sets `ended` if the record has an end."""


class StepPosition:
    """The events of a step, counted from 1. Until the first of them is there, the request that starts the step is repeated with its key."""

    def __init__(self, session_id: str, *, start: Optional[Request] = None, step_id: Optional[str] = None, after: int = 0) -> None:
        self.session_id, self.step_id, self.after = session_id, step_id, after
        self.start = start
        self._has_begun = after == 0
        self.ended = False
        self.step: Optional[Step] = None
        """The step once it has finished."""

    def request(self) -> Request:
        if self.step_id is None:
            assert self.start is not None
            return self.start
        return requests.follow(requests.session_path(self.session_id, "steps", self.step_id, "events"), after=self.after)

    def accept(self, raw: Dict[str, Any]) -> Optional[StepEvent]:
        # The end of a step that was lost counts anew.
        if raw["seq"] <= self.after and raw["type"] != "finished":
            return None
        self._has_begun = True
        self.after, self.step_id, self.session_id = max(raw["seq"], self.after), raw["stepId"], raw["sessionId"]
        event: StepEvent = event_of(StepEvent, raw)
        if isinstance(event, FinishedEvent):
            self.ended, self.step = True, event.step
        return event

    def record(self) -> Optional[Request]:
        return None if self.step_id is None else requests.get(requests.session_path(self.session_id, "steps", self.step_id))

    def conclude(self, record: Dict[str, Any]) -> Optional[StepEvent]:
        if record["finishedAt"] is None:
            return None
        had_begun = self._has_begun
        of_step = {name: record.get(name) for name in ("sessionId", "contextEpoch", "actor", "actorName")}
        place = {"seq": self.after + 1, "time": record["finishedAt"], "stepId": record["id"]}
        event = self.accept({"type": "finished", **of_step, **place, "step": record})
        return event if had_begun else None


class ProcessPosition:
    """The output of a process, in its order."""

    def __init__(self, session_id: str, process_id: str, after: int, on_end: Callable[[ProcessRecord], None]) -> None:
        self.path = requests.session_path(session_id, "processes", process_id, "events")
        self._record = requests.get(requests.session_path(session_id, "processes", process_id))
        self.after = after
        self._has_begun = after == 0
        self.ended = False
        self._on_end = on_end

    def request(self) -> Request:
        return requests.follow(self.path, after=self.after)

    def accept(self, raw: Dict[str, Any]) -> Optional[ProcessEvent]:
        if raw["seq"] <= self.after and raw["type"] != "finished":
            return None
        self._has_begun = True
        self.after = max(raw["seq"], self.after)
        event: ProcessEvent = event_of(ProcessEvent, raw)
        if isinstance(event, ProcessFinishedEvent):
            self.ended = True
            self._on_end(event.process)
        return event

    def record(self) -> Optional[Request]:
        return self._record

    def conclude(self, record: Dict[str, Any]) -> Optional[ProcessEvent]:
        if record["finishedAt"] is None:
            return None
        had_begun = self._has_begun
        place = {"seq": self.after, "sessionId": record["sessionId"], "processId": record["id"]}
        event = self.accept({"type": "finished", **place, "process": record})
        return event if had_begun else None


def event_of(hint: Any, raw: Dict[str, Any]) -> Any:
    event = decode(hint, raw)
    return UnknownEvent("unknown", raw.get("seq"), raw) if event is raw else event
