"""Streams of events that go on by themselves after a break."""

from __future__ import annotations

from time import monotonic
from typing import Any, AsyncIterator, Dict, Generic, Optional, TypeVar

import httpx

from .._event_source import EventSource
from .._positions import Position
from .._retries import GOOD_SECONDS
from ..errors import ConnectionFailed, ProblemError, from_problem
from .driver import sleep
from .transport import AsyncTransport

E = TypeVar("E")


class AsyncEvents(Generic[E]):
    """Events in their order, none lost and none twice, also if the connection breaks or the server is started again.

    Use it in `async with`, or read it to its end: this closes its connection.
    """

    def __init__(self, transport: AsyncTransport, position: Position) -> None:
        # Without a reference to this object, so that one that is dropped closes its connection at once. The garbage collector would do so
        # at any time, also while this thread has the lock of the connections that closing needs.
        self._events: AsyncIterator[E] = _read(transport, position)

    def __aiter__(self) -> AsyncIterator[E]:
        return self

    async def __anext__(self) -> E:
        return await self._events.__anext__()

    async def __aenter__(self) -> AsyncEvents[E]:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Stops reading. Code that runs goes on."""
        await self._events.aclose()  # type: ignore[attr-defined]


async def _read(transport: AsyncTransport, position: Position) -> AsyncIterator[Any]:
    failures = 0
    while not position.ended:
        response = await transport.open(position.request())
        opened_at = monotonic()
        broken: Optional[Exception] = None
        try:
            async for raw in _events_of(response):
                if raw["type"] == "problem":
                    broken = _passing(raw["problem"])
                    break
                event = position.accept(raw)
                failures = 0
                if event is not None:
                    yield event
        except httpx.RequestError as failure:
            broken = failure
        finally:
            await response.aclose()
        if response.status_code == 204:
            record = position.record()
            if record is None:
                return
            # The end of a step or process that was lost may have no place behind the events that came.
            event = position.conclude(await transport.json(record))
            if event is not None:
                yield event
        if position.ended:
            return
        failures = 1 if monotonic() - opened_at > GOOD_SECONDS else failures + 1
        if failures > transport.retries.limit:
            raise broken if isinstance(broken, ProblemError) else ConnectionFailed("the stream of events broke off") from broken
        await sleep(transport.retries.pause(failures))


def _passing(problem: Dict[str, Any]) -> ProblemError:
    """The server says that it cannot go on. If that may pass, the stream is opened again."""
    error = from_problem(problem["status"], problem)
    if error.status < 500:
        raise error
    return error


async def _events_of(response: httpx.Response) -> AsyncIterator[Dict[str, Any]]:
    source = EventSource()
    async for piece in response.aiter_bytes():
        for raw in source.feed(piece):
            yield raw
