# Generated from `_async/step_events.py` by `generate/sync.py`: do not edit.
"""The events of one step, and the answers that its code asks for."""

from __future__ import annotations

from contextlib import suppress
from typing import Any, Callable, Optional

from .. import _requests as requests
from .._positions import StepPosition
from ..errors import Conflict, Ended, HoldfastError, NotFound
from ..models import InputRequestEvent, OperationRequestEvent, Step, StepEvent
from .driver import result_of
from .operations import Operations
from .streams import Events
from .transport import Transport

OnEvent = Callable[[StepEvent], Any]
OnInput = Callable[[InputRequestEvent], Any]


class StepEvents(Events[StepEvent]):
    """The events of one step."""

    def __init__(
        self, transport: Transport, position: StepPosition, on_input: Optional[OnInput], operations: Operations
    ) -> None:
        super().__init__(transport, position)
        self._transport = transport
        self._step = position
        self._is_starting = False
        self._on_input = on_input
        self._operations = operations
        self.needs: Optional[str] = None
        """The id of the step while its code waits for an answer that nothing here gives."""

    @property
    def step_id(self) -> Optional[str]:
        """Known from the first event on."""
        return self._step.step_id

    @property
    def seq(self) -> int:
        """The sequence number of the last event."""
        return self._step.after

    @property
    def step(self) -> Step:
        """The finished step. Read the events to their end first."""
        if self._step.step is None:
            raise HoldfastError("the step has not finished: read its events to their end")
        return self._step.step

    def __enter__(self) -> StepEvents:
        return self

    def interrupt(self) -> None:
        """Stops the code as Ctrl-C does, unless it has ended. It is known also if reading its first event was cancelled."""
        with suppress(Conflict, Ended, NotFound):
            if self._is_starting:
                self._find_step()
            if self._step.step_id is not None:
                path = requests.session_path(self._step.session_id, "steps", self._step.step_id, "interrupt")
                self._transport.json(requests.act(path, repeatable=True))

    def _find_step(self) -> None:
        # With its key, the request that starts the step finds it. If that never arrived, the code begins now and is stopped at once.
        found = StepPosition(self._step.session_id, start=self._step.start)
        with Events[StepEvent](self._transport, found) as events:
            events.__next__()
        self._step.step_id = found.step_id

    def __next__(self) -> StepEvent:
        self._is_starting = self._step.step_id is None
        try:
            event = super().__next__()
        except Exception:
            self._is_starting = False
            raise
        self._is_starting = False
        self.needs = None
        if isinstance(event, InputRequestEvent):
            self._give_input(event)
        elif isinstance(event, OperationRequestEvent):
            if not self._operations.serve(event):
                self.needs = event.step_id
        return event

    def _give_input(self, event: InputRequestEvent) -> None:
        if self._on_input is None:
            self.needs = event.step_id
            return
        text = result_of(self._on_input, [event])
        try:
            self._transport.json(requests.step_input(event.session_id, event.step_id, text))
        except Conflict as conflict:
            # The step was interrupted, or another client has answered.
            if conflict.code != "stdin-closed":
                raise
