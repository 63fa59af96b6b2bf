# Generated from `_async/steps.py` by `generate/sync.py`: do not edit.
"""The history of a session, and the steps that run."""

from __future__ import annotations

from typing import Iterator, Optional

from .. import _requests as requests
from .._positions import StepPosition
from ..models import Step
from .operations import Operations
from .output import Output, OnBegin
from .step_events import StepEvents, OnInput
from .transport import Transport

WAIT_SECONDS = 30


class Steps:
    """The history of a session, and the steps that run."""

    def __init__(self, transport: Transport, session_id: str) -> None:
        self._transport = transport
        self._session_id = session_id

    def list(self, *, order: Optional[str] = None) -> Iterator[Step]:
        """The history, oldest first, or newest first with `order="desc"`."""
        return self._transport.pages(Step, requests.get(self._path(), order=order))

    def get(self, step_id: str) -> Step:
        """The step as it is now."""
        return self._transport.fetch(Step, requests.get(self._path(step_id)))

    def wait(self, step_id: str, *, after: Optional[str] = None) -> Step:
        """Waits until the step ends or needs something. `after` is the id of the last operation whose need is known."""
        while True:
            request = requests.get(self._path(step_id), wait_seconds=WAIT_SECONDS, after=after)
            step = self._transport.fetch(Step, request)
            if step.finished_at is not None or (step.outcome is not None and step.outcome.tag == "needs"):
                return step

    def follow(self, step_id: str, *, after: int = 0, on_input: Optional[OnInput] = None) -> StepEvents:
        """The events of a step from a sequence number on, by any actor."""
        position = StepPosition(self._session_id, step_id=step_id, after=after)
        return StepEvents(self._transport, position, on_input, Operations(self._transport, self._session_id))

    def interrupt(self, step_id: str) -> Step:
        """Stops the code as Ctrl-C does. The state of its context stays."""
        return self._transport.fetch(Step, requests.act(self._path(step_id, "interrupt"), repeatable=True))

    def send_input(self, step_id: str, text: Optional[str]) -> None:
        """Input for code that asks for it, or with `None` its end."""
        self._transport.json(requests.step_input(self._session_id, step_id, text))

    def output(self, step_id: str, stream: str = "stdout") -> Output:
        """Everything that the step wrote to `stdout` or `stderr`, in pieces, as far as it is stored: see `truncated` of the answer.

        The step itself may have only a part of it.
        """
        return Output(lambda begin: self._output(step_id, stream, begin))

    def _output(self, step_id: str, stream: str, begin: OnBegin) -> Iterator[bytes]:
        step = self.get(step_id)
        if step.finished_at is not None and not step.truncated:
            begin({"holdfast-output": "whole"})
            yield (step.stdout if stream == "stdout" else step.stderr).encode()
            return
        for piece in self._transport.bytes_of(self._path(step_id, "output", stream), begin):
            yield piece

    def _path(self, *parts: str) -> str:
        return requests.session_path(self._session_id, "steps", *parts)
