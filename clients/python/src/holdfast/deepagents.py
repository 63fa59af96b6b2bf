"""A session as the sandbox of a deep agent.

```python
from deepagents import create_deep_agent
from holdfast import Holdfast
from holdfast.deepagents import session_backend

with Holdfast() as holdfast, holdfast.sessions.create() as session:
    backend = session_backend(session)
    agent = create_deep_agent(backend=backend, system_prompt=f"Your files are in {backend.default.workspace}.")
```
"""

from __future__ import annotations

import asyncio
import threading
from posixpath import normpath, relpath
from typing import Any, Callable, Dict, List, Optional, Tuple

from anyio import to_thread
from deepagents.backends.composite import CompositeBackend
from deepagents.backends.protocol import ExecuteResponse, FileDownloadResponse, FileUploadResponse
from deepagents.backends.sandbox import BaseSandbox

from ._async.driver import to_the_end
from ._sync.output import read_at_most
from ._sync.processes import Process
from ._sync.session import Session
from ._tools import is_unicode
from .errors import Conflict, Ended, Forbidden, InvalidRequest, NotFound
from .models import ProcessRecord

__all__ = ["HoldfastSandbox", "session_backend"]

TIMED_OUT = 124
"""As the program `timeout` ends."""


def session_backend(session: Session, **options: Any) -> CompositeBackend:
    """The backend of a deep agent, with the options of `HoldfastSandbox`.

    Long results and the history of a long conversation, which deepagents writes to files at the root by default, are below `/tmp`: the root
    of a sandbox belongs to the system.
    """
    return CompositeBackend(HoldfastSandbox(session, **options), routes={}, artifacts_root=f"/tmp/deepagents-{session.id}")


class HoldfastSandbox(BaseSandbox):
    """Runs the commands of an agent as processes of a session, and reads and writes its files at absolute paths, as commands see them.

    More output of a command than `output_bytes` is cut off, and a file of more than `file_bytes` is not downloaded. `timeout_seconds` is for
    commands without a timeout of their own.
    """

    def __init__(
        self, session: Session, *, timeout_seconds: int = 1800, output_bytes: int = 8 * 1024 * 1024, file_bytes: int = 64 * 1024 * 1024
    ) -> None:
        self._session = session
        self._timeout_seconds = timeout_seconds
        self._output_bytes = output_bytes
        self._file_bytes = file_bytes
        self._workspace: Optional[str] = None

    @property
    def id(self) -> str:
        """The id of the session."""
        return self._session.id

    @property
    def workspace(self) -> str:
        """The absolute path of the directory in which commands start. A server without containers has it at a place of its own."""
        if self._workspace is None:
            self._workspace = self._session.processes.run(["true"]).cwd or "/workspace"
        return self._workspace

    def execute(self, command: str, *, timeout: Optional[int] = None) -> ExecuteResponse:
        """Runs a shell command. Its exit code is 124 if it was stopped by its timeout. With a timeout of 0 nothing stops it."""
        return self._execute(command, timeout, lambda process: None)

    async def aexecute(self, command: str, *, timeout: Optional[int] = None) -> ExecuteResponse:
        """The same. If it is cancelled, the command is killed."""
        cancelled, started = threading.Event(), []

        def note(process: Process) -> None:
            started.append(process)
            if cancelled.is_set():
                process.stop()

        try:
            return await asyncio.to_thread(self._execute, command, timeout, note)
        except asyncio.CancelledError:
            cancelled.set()
            # A thread of its own: those of the event loop may all wait for commands that only this ends.
            for process in started:
                await to_the_end(lambda: to_thread.run_sync(process.stop))
            raise

    def upload_files(self, files: List[Tuple[str, bytes]]) -> List[FileUploadResponse]:
        """Writes files. Each has an answer of its own."""
        return [FileUploadResponse(path, self._failure_of(path, lambda: self._session.files.write(self._name(path), content))) for path, content in files]

    def download_files(self, paths: List[str]) -> List[FileDownloadResponse]:
        """Reads files. Each has an answer of its own."""
        return [self._download(path) for path in paths]

    def _execute(self, command: str, timeout: Optional[int], note: Callable[[Process], None]) -> ExecuteResponse:
        seconds = self._timeout_seconds if timeout is None else timeout
        options: Dict[str, Any] = {"timeout_seconds": seconds} if seconds > 0 else {}
        process = self._session.processes.start(command, stderr="stdout", **options)
        note(process)
        record = process.wait()
        output, truncated = self._output_of(process, record)
        if record.status == "timed_out":
            return ExecuteResponse(f"{output}\nThe command was stopped after {seconds} s.".lstrip("\n"), TIMED_OUT, truncated)
        if record.status == "signalled":
            output = f"{output}\nThe command was ended by {record.signal}.".lstrip("\n")
        return ExecuteResponse(output, record.exit_code, truncated)

    def _output_of(self, process: Process, record: ProcessRecord) -> Tuple[str, bool]:
        if not record.truncated:
            return record.stdout, False
        output = process.output()
        try:
            content = read_at_most(output, self._output_bytes + 1)
        except Ended:
            # It went with its sandbox.
            return record.stdout, True
        is_cut = len(content) > self._output_bytes
        return content[: self._output_bytes].decode(errors="replace"), is_cut or bool(output.truncated)

    def _name(self, path: str) -> str:
        """The path as the service knows it: relative, unless it is outside the workspace."""
        place = normpath(path)
        return relpath(place, self.workspace) if place.startswith(f"{self.workspace}/") else place

    def _read(self, path: str) -> bytes:
        content = read_at_most(self._session.files.pieces(self._name(path)), self._file_bytes + 1)
        if len(content) > self._file_bytes:
            raise ValueError(f"the file has more than {self._file_bytes} bytes: read a part of it with a command")
        return content

    def _download(self, path: str) -> FileDownloadResponse:
        read: List[bytes] = []
        error = self._failure_of(path, lambda: read.append(self._read(path)))
        return FileDownloadResponse(path, read[0] if read else None, error)

    def _failure_of(self, path: str, work: Callable[[], Any]) -> Any:
        if not path.startswith("/") or "\0" in path or not is_unicode(path):
            return "invalid_path"
        try:
            work()
        except NotFound as problem:
            # A session that does not exist is no matter of the file.
            self._session.refresh()
            return "file_not_found" if problem.code == "not-found" else str(problem)
        except Forbidden:
            return "permission_denied"
        except Conflict as problem:
            return "is_directory" if problem.code == "path-conflict" else str(problem)
        except InvalidRequest as problem:
            return "invalid_path" if problem.code == "invalid-request" else str(problem)
        except ValueError as too_large:
            return str(too_large)
        return None
