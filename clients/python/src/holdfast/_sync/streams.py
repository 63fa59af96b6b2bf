# Generated from `_async/streams.py` by `generate/sync.py`: do not edit.
"""Streams of events that go on by themselves after a break."""

from __future__ import annotations

from time import monotonic
from typing import Any, Iterator, Dict, Generic, Optional, TypeVar

import httpx

from .._event_source import EventSource
from .._positions import Position
from .._retries import GOOD_SECONDS
from ..errors import ConnectionFailed, ProblemError, from_problem
from .driver import sleep
from .transport import Transport

E = TypeVar("E")


class Events(Generic[E]):
    """Events in their order, none lost and none twice, also if the connection breaks or the server is started again.

    Use it in `with`, or read it to its end: this closes its connection.
    """

    def __init__(self, transport: Transport, position: Position) -> None:
        # Without a reference to this object, so that one that is dropped closes its connection at once. The garbage collector would do so
        # at any time, also while this thread has the lock of the connections that closing needs.
        self._events: Iterator[E] = _read(transport, position)

    def __iter__(self) -> Iterator[E]:
        return self

    def __next__(self) -> E:
        return self._events.__next__()

    def __enter__(self) -> Events[E]:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Stops reading. Code that runs goes on."""
        self._events.close()  # type: ignore[attr-defined]


def _read(transport: Transport, position: Position) -> Iterator[Any]:
    failures = 0
    while not position.ended:
        response = transport.open(position.request())
        opened_at = monotonic()
        broken: Optional[Exception] = None
        try:
            for raw in _events_of(response):
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
            response.close()
        if response.status_code == 204:
            record = position.record()
            if record is None:
                return
            # The end of a step or process that was lost may have no place behind the events that came.
            event = position.conclude(transport.json(record))
            if event is not None:
                yield event
        if position.ended:
            return
        failures = 1 if monotonic() - opened_at > GOOD_SECONDS else failures + 1
        if failures > transport.retries.limit:
            raise broken if isinstance(broken, ProblemError) else ConnectionFailed("the stream of events broke off") from broken
        sleep(transport.retries.pause(failures))


def _passing(problem: Dict[str, Any]) -> ProblemError:
    """The server says that it cannot go on. If that may pass, the stream is opened again."""
    error = from_problem(problem["status"], problem)
    if error.status < 500:
        raise error
    return error


def _events_of(response: httpx.Response) -> Iterator[Dict[str, Any]]:
    source = EventSource()
    for piece in response.iter_bytes():
        for raw in source.feed(piece):
            yield raw
