"""The history of a session, and the steps that run."""

from __future__ import annotations

from typing import AsyncIterator, Optional

from .. import _requests as requests
from .._positions import StepPosition
from ..models import Step
from .operations import AsyncOperations
from .output import AsyncOutput, OnBegin
from .step_events import AsyncStepEvents, OnInput
from .transport import AsyncTransport

WAIT_SECONDS = 30


class AsyncSteps:
    """The history of a session, and the steps that run."""

    def __init__(self, transport: AsyncTransport, session_id: str) -> None:
        self._transport = transport
        self._session_id = session_id

    def list(self, *, order: Optional[str] = None) -> AsyncIterator[Step]:
        """The history, oldest first, or newest first with `order="desc"`."""
        return self._transport.pages(Step, requests.get(self._path(), order=order))

    async def get(self, step_id: str) -> Step:
        """The step as it is now."""
        return await self._transport.fetch(Step, requests.get(self._path(step_id)))

    async def wait(self, step_id: str, *, after: Optional[str] = None) -> Step:
        """Waits until the step ends or needs something. `after` is the id of the last operation whose need is known."""
        while True:
            request = requests.get(self._path(step_id), wait_seconds=WAIT_SECONDS, after=after)
            step = await self._transport.fetch(Step, request)
            if step.finished_at is not None or (step.outcome is not None and step.outcome.tag == "needs"):
                return step

    def follow(self, step_id: str, *, after: int = 0, on_input: Optional[OnInput] = None) -> AsyncStepEvents:
        """The events of a step from a sequence number on, by any actor."""
        position = StepPosition(self._session_id, step_id=step_id, after=after)
        return AsyncStepEvents(self._transport, position, on_input, AsyncOperations(self._transport, self._session_id))

    async def interrupt(self, step_id: str) -> Step:
        """Stops the code as Ctrl-C does. The state of its context stays."""
        return await self._transport.fetch(Step, requests.act(self._path(step_id, "interrupt"), repeatable=True))

    async def send_input(self, step_id: str, text: Optional[str]) -> None:
        """Input for code that asks for it, or with `None` its end."""
        await self._transport.json(requests.step_input(self._session_id, step_id, text))

    def output(self, step_id: str, stream: str = "stdout") -> AsyncOutput:
        """Everything that the step wrote to `stdout` or `stderr`, in pieces, as far as it is stored: see `truncated` of the answer.

        The step itself may have only a part of it.
        """
        return AsyncOutput(lambda begin: self._output(step_id, stream, begin))

    async def _output(self, step_id: str, stream: str, begin: OnBegin) -> AsyncIterator[bytes]:
        step = await self.get(step_id)
        if step.finished_at is not None and not step.truncated:
            begin({"holdfast-output": "whole"})
            yield (step.stdout if stream == "stdout" else step.stderr).encode()
            return
        async for piece in self._transport.bytes_of(self._path(step_id, "output", stream), begin):
            yield piece

    def _path(self, *parts: str) -> str:
        return requests.session_path(self._session_id, "steps", *parts)
