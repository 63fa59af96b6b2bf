# Generated from `_async/processes.py` by `generate/sync.py`: do not edit.
"""Commands that run beside the interpreters."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Iterator, List, Optional, Union

from .. import _requests as requests
from .._positions import ProcessPosition
from ..models import AcceptedInput, ProcessEvent, ProcessOptions, ProcessRecord, ProcessSummary
from .streams import Events
from .transport import Transport

if TYPE_CHECKING:
    from typing_extensions import Unpack

WAIT_SECONDS = 30


class Process:
    """A command that runs or ran."""

    def __init__(self, transport: Transport, record: ProcessRecord) -> None:
        self._transport = transport
        self.record = record
        """The process as the service described it last."""
        self.id = record.id

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.id} {self.record.status}>"

    def refresh(self) -> ProcessRecord:
        """Asks for the process as it is now, with its output so far."""
        self.record = self._transport.fetch(ProcessRecord, requests.get(self._path()))
        return self.record

    def wait(self) -> ProcessRecord:
        """Waits for its end."""
        while self.record.status == "running":
            request = requests.get(self._path(), wait_seconds=WAIT_SECONDS)
            self.record = self._transport.fetch(ProcessRecord, request)
        return self.record

    def events(self, *, after: int = 0) -> Events[ProcessEvent]:
        """Its output in order, from the beginning or behind a sequence number, and its end."""
        return Events(self._transport, ProcessPosition(self.record.session_id, self.id, after))

    def write(self, data: Union[str, bytes], *, end: bool = False) -> AcceptedInput:
        """Writes to its input, and with `end` closes it. Fewer bytes may be taken than were sent: see `taken`."""
        body = {"text": data} if isinstance(data, str) else {"base64": _base64(data)}
        request = requests.act(self._path("stdin"), {**body, "end": end or None})
        return self._transport.fetch(AcceptedInput, request)

    def end_input(self) -> None:
        """Closes its input."""
        self._transport.json(requests.act(self._path("stdin"), {"end": True}))

    def signal(self, signal: str = "SIGTERM") -> None:
        self._transport.json(requests.act(self._path("signal"), {"signal": signal}))

    def kill(self) -> None:
        """Ends it at once."""
        self._transport.json(requests.act(self._path("signal"), {"signal": "SIGKILL"}, repeatable=True))

    def resize(self, columns: int, rows: int) -> None:
        """Changes the size of its terminal."""
        body = {"columns": columns, "rows": rows}
        self._transport.json(requests.act(self._path("terminal"), body, repeatable=True))

    def output(self, stream: str = "stdout") -> Iterator[bytes]:
        """All that it wrote to `stdout` or `stderr`, byte for byte, in pieces."""
        return self._transport.bytes_of(self._path("output", stream))

    def _path(self, *parts: str) -> str:
        return requests.session_path(self.record.session_id, "processes", self.id, *parts)


class Processes:
    def __init__(self, transport: Transport, session_id: str) -> None:
        self._transport = transport
        self._session_id = session_id

    def start(self, command: Union[str, List[str]], **options: Unpack[ProcessOptions]) -> Process:
        """Starts a program with its arguments, or a text for a shell. See `ProcessOptions`."""
        request = requests.create(self._path(), {"command": command, **options})
        return Process(self._transport, self._transport.fetch(ProcessRecord, request))

    def run(self, command: Union[str, List[str]], **options: Unpack[ProcessOptions]) -> ProcessRecord:
        """Starts a command and waits for its end."""
        return (self.start(command, **options)).wait()

    def get(self, process_id: str) -> Process:
        record = self._transport.fetch(ProcessRecord, requests.get(self._path(process_id)))
        return Process(self._transport, record)

    def list(self, *, status: Optional[str] = None) -> Iterator[ProcessSummary]:
        return self._transport.pages(ProcessSummary, requests.get(self._path(), status=status))

    def _path(self, *parts: str) -> str:
        return requests.session_path(self._session_id, "processes", *parts)


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode()
