# Generated from `_async/processes.py` by `generate/sync.py`: do not edit.
"""Commands that run beside the interpreters."""

from __future__ import annotations

import base64
from contextlib import suppress
from typing import TYPE_CHECKING, Iterator, List, Optional, Union

from .. import _requests as requests
from .._positions import ProcessPosition
from ..errors import Conflict, Ended, HoldfastError, NotFound, ProblemError
from ..models import AcceptedInput, ProcessEvent, ProcessOptions, ProcessRecord, ProcessSummary
from .driver import to_the_end
from .output import Output
from .streams import Events
from .transport import Transport

if TYPE_CHECKING:
    from .channel import Channel
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
        return Events(self._transport, ProcessPosition(self.record.session_id, self.id, after, self._become))

    def write(self, data: Union[str, bytes], *, end: bool = False) -> AcceptedInput:
        """Writes to its input, and with `end` closes it. Fewer bytes may be taken than were sent: see `taken`."""
        body = {"text": data} if isinstance(data, str) else {"base64": _base64(data)}
        request = requests.act(self._path("stdin"), {**body, "end": end or None})
        return self._transport.fetch(AcceptedInput, request)

    def end_input(self) -> None:
        """Closes its input."""
        self._transport.json(requests.act(self._path("stdin"), {"end": True}))

    def signal(self, signal: str = "SIGTERM") -> None:
        """Sends a signal, by default the one that asks it to end."""
        self._transport.json(requests.act(self._path("signal"), {"signal": signal}))

    def kill(self) -> None:
        """Ends it at once."""
        self._transport.json(requests.act(self._path("signal"), {"signal": "SIGKILL"}, repeatable=True))

    def stop(self) -> None:
        """Ends it at once, unless it or its session has ended already."""
        with suppress(Conflict, Ended, NotFound):
            self.kill()

    def resize(self, columns: int, rows: int) -> None:
        """Changes the size of its terminal."""
        body = {"columns": columns, "rows": rows}
        self._transport.json(requests.act(self._path("terminal"), body, repeatable=True))

    def channel(self, *, after: int = 0) -> Channel:
        """A live connection with the process, for its output from the beginning or behind a place, and its input.

        Needs `pip install holdfast[terminal]`.
        """
        return open_channel(self._transport, self, after=after)

    def output(self, stream: str = "stdout") -> Output:
        """All that it wrote to `stdout` or `stderr`, byte for byte, in pieces, as far as it is stored: see `truncated` of the answer."""
        return Output(lambda begin: self._transport.bytes_of(self._path("output", stream), begin))

    def _become(self, record: ProcessRecord) -> None:
        self.record = record

    def _path(self, *parts: str) -> str:
        return requests.session_path(self.record.session_id, "processes", self.id, *parts)


class Processes:
    """Commands that run beside the interpreters."""

    def __init__(self, transport: Transport, session_id: str) -> None:
        self._transport = transport
        self._session_id = session_id

    def start(self, command: Union[str, List[str]], **options: Unpack[ProcessOptions]) -> Process:
        """Starts a program with its arguments, or a text for a shell. See `ProcessOptions`."""
        return self._begin(self._request(command, options))

    def _start_own(self, command: Union[str, List[str]], **options: Unpack[ProcessOptions]) -> Process:
        """Starts a process that must not outlive its caller: it is killed if the call is cancelled before there is an answer."""
        request = self._request(command, options)
        try:
            return self._begin(request)
        except Exception:
            raise
        except BaseException:
            to_the_end(lambda: self._kill(request))
            raise

    def run(self, command: Union[str, List[str]], **options: Unpack[ProcessOptions]) -> ProcessRecord:
        """Starts a command and waits for its end."""
        return (self.start(command, **options)).wait()

    def get(self, process_id: str) -> Process:
        """The process with this id, also if it has ended."""
        record = self._transport.fetch(ProcessRecord, requests.get(self._path(process_id)))
        return Process(self._transport, record)

    def _request(self, command: Union[str, List[str]], options: ProcessOptions) -> requests.Request:
        return requests.create(self._path(), {"command": command, **options})

    def _begin(self, request: requests.Request) -> Process:
        return Process(self._transport, self._transport.fetch(ProcessRecord, request))

    def _kill(self, request: requests.Request) -> None:
        # With its key, the request finds the process. If it never arrived, the process begins now and is killed at once.
        with suppress(ProblemError):
            (self._begin(request)).stop()

    def list(self, *, status: Optional[str] = None) -> Iterator[ProcessSummary]:
        """Those that run and the latest that have ended, without their output."""
        return self._transport.pages(ProcessSummary, requests.get(self._path(), status=status))

    def _path(self, *parts: str) -> str:
        return requests.session_path(self._session_id, "processes", *parts)


def open_channel(transport: Transport, process: Process, *, after: int = 0, ends_process: bool = False) -> Channel:
    try:
        from .channel import Channel
    except ModuleNotFoundError as missing:
        raise HoldfastError("channels need another package: pip install 'holdfast[terminal]'") from missing
    path = requests.session_path(process.record.session_id, "processes", process.id, "channel")
    return Channel(transport, process, path, after=after, ends_process=ends_process)


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode()
