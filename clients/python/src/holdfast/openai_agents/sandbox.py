"""Sessions as sandboxes of the OpenAI Agents SDK."""

from __future__ import annotations

import io
import tempfile
import uuid
from pathlib import Path
from typing import Any, Dict, Literal, Optional, Union
from urllib.parse import urlsplit

from agents.sandbox.errors import ExecTimeoutError, ExecTransportError, ExposedPortUnavailableError
from agents.sandbox.errors import WorkspaceArchiveReadError, WorkspaceArchiveWriteError, WorkspaceReadNotFoundError
from agents.sandbox.manifest import Manifest
from agents.sandbox.session import BaseSandboxClient, BaseSandboxClientOptions, BaseSandboxSession, SandboxSession, SandboxSessionState
from agents.sandbox.snapshot import SnapshotBase, SnapshotSpec, resolve_snapshot
from agents.sandbox.types import ExecResult, ExposedPortEndpoint, User

from .._async.client import AsyncHoldfast
from .._async.driver import to_the_end
from .._async.output import read_at_most
from .._async.processes import AsyncProcess
from .._async.session import AsyncSession
from .._decode import encode
from ..errors import Ended, HoldfastError, NotFound, ProblemError

ROOT = Manifest.model_fields["root"].default
KEPT = (
    "language", "metadata", "timeout_seconds", "idle_timeout_seconds", "network", "policy", "recovery", "on_idle", "budget", "budget_of", "profile",
)  # fmt: skip
"""The options of a session that its state holds. Environment variables and webhooks have secrets, which do not belong into a state."""


OUTPUT_BYTES = 8 * 1024 * 1024
FILE_BYTES = 64 * 1024 * 1024


class HoldfastSandboxOptions(BaseSandboxClientOptions):
    """The session of a new sandbox."""

    type: Literal["holdfast"] = "holdfast"
    session: Dict[str, Any] = {}
    """The arguments of `holdfast.sessions.create`, such as `profile`, `network` or `policy`."""
    exposed_ports: tuple[int, ...] = ()
    """Ports for which `resolve_exposed_port` answers an address. Anyone who has it can use it."""


class HoldfastSandboxState(SandboxSessionState):
    """All that is needed to open the sandbox again."""

    type: Literal["holdfast"] = "holdfast"
    holdfast_session_id: str
    holdfast_options: Dict[str, Any] = {}
    """With these, another session takes the place of one that has ended, so that it may do no more than that one."""


class HoldfastSandboxSession(BaseSandboxSession):
    """The sandbox of an agent, which is a session of Holdfast."""

    state: HoldfastSandboxState

    def __init__(self, state: HoldfastSandboxState, session: AsyncSession, *, file_bytes: int = FILE_BYTES) -> None:
        self.state = state
        self._file_bytes = file_bytes
        self.session = session
        """For everything that sandboxes of this SDK do not have, such as interpreters and snapshots."""

    async def _exec_internal(self, *command: Union[str, Path], timeout: Optional[float] = None) -> ExecResult:
        argv = [str(part) for part in command]
        options: Dict[str, Any] = {} if timeout is None else {"timeout_seconds": timeout}
        try:
            process = await self.session.processes._start_own(argv, **options)
        except ProblemError as problem:
            if problem.code == "command-not-started":
                return ExecResult(stdout=b"", stderr=str(problem).encode(), exit_code=127)
            raise ExecTransportError(command=argv, cause=problem) from problem
        try:
            record = await process.wait()
            stdout, stderr = record.stdout.encode(), record.stderr.encode()
            if record.truncated:
                stdout, stderr = await _output_of(process, "stdout"), await _output_of(process, "stderr")
        except HoldfastError as failure:
            raise ExecTransportError(command=argv, cause=failure) from failure
        except BaseException:
            await to_the_end(process.stop)
            raise
        if record.status == "timed_out":
            raise ExecTimeoutError(command=argv, timeout_s=timeout)
        return ExecResult(stdout=stdout, stderr=stderr, exit_code=-1 if record.exit_code is None else record.exit_code)

    async def _resolve_exposed_port(self, port: int) -> ExposedPortEndpoint:
        try:
            opened = await self.session.ports.open(port, access="link")
        except HoldfastError as failure:
            ports = self.state.exposed_ports
            raise ExposedPortUnavailableError(port=port, exposed_ports=ports, reason="backend_unavailable", cause=failure) from failure
        address = urlsplit(opened.url)
        tls = address.scheme == "https"
        return ExposedPortEndpoint(host=address.hostname or "", port=address.port or (443 if tls else 80), tls=tls, query=address.query)

    async def read(self, path: Path, *, user: Union[str, User, None] = None) -> io.IOBase:
        """The whole file, if it has at most `file_bytes` of the client."""
        self._refuse(user)
        place = await self._validate_path_access(path)
        try:
            content = await read_at_most(self.session.files.pieces(self._name(place)), self._file_bytes + 1)
        except NotFound as problem:
            raise WorkspaceReadNotFoundError(path=place) from problem
        except HoldfastError as failure:
            raise WorkspaceArchiveReadError(path=place, cause=failure) from failure
        if len(content) > self._file_bytes:
            raise WorkspaceArchiveReadError(path=place, context={"reason": "file_too_large", "limit_bytes": self._file_bytes})
        return io.BytesIO(content)

    async def write(self, path: Path, data: io.IOBase, *, user: Union[str, User, None] = None) -> None:
        """Creates or replaces the file as a whole."""
        self._refuse(user)
        place = await self._validate_path_access(path, for_write=True)
        try:
            await self.session.files.write(self._name(place), data)
        except HoldfastError as failure:
            raise WorkspaceArchiveWriteError(path=place, cause=failure) from failure

    async def running(self) -> bool:
        """Whether code can run in the session now."""
        try:
            return (await self.session.refresh()).status == "active"
        except (Ended, NotFound):
            return False

    async def persist_workspace(self) -> io.IOBase:
        """The workspace as a tar archive, in a temporary file."""
        archive = tempfile.TemporaryFile()
        try:
            async for piece in self.session.files.archive():
                archive.write(piece)
            archive.seek(0)
        except BaseException as failure:
            archive.close()
            if not isinstance(failure, HoldfastError):
                raise
            raise WorkspaceArchiveReadError(path=Path(self.state.manifest.root), cause=failure) from failure
        return archive

    async def hydrate_workspace(self, data: io.IOBase) -> None:
        """Unpacks a tar archive into the workspace."""
        try:
            await self.session.files.unpack(data)
        except HoldfastError as failure:
            raise WorkspaceArchiveWriteError(path=Path(self.state.manifest.root), cause=failure) from failure

    async def shutdown(self) -> None:
        """Deletes the session."""
        try:
            await self.session.delete()
        except (Ended, NotFound):
            # It has been deleted already.
            pass

    def _name(self, place: Path) -> str:
        """The path as the service knows it: relative, unless it is outside the workspace."""
        root = Path(self.state.manifest.root)
        return place.relative_to(root).as_posix() if root in place.parents else place.as_posix()

    def _refuse(self, user: Union[str, User, None]) -> None:
        if user is not None:
            raise ValueError("files of a Holdfast session belong to the one user of its sandbox")


class HoldfastSandboxClient(BaseSandboxClient[HoldfastSandboxOptions]):
    """Creates, opens and deletes the sandboxes of agents.

    ```python
    client = HoldfastSandboxClient(holdfast)
    config = RunConfig(sandbox=SandboxRunConfig(client=client))
    await Runner.run(SandboxAgent(name="Engineer"), "Build it.", run_config=config)
    ```

    A file of more than `file_bytes` cannot be read through a sandbox as a whole.
    """

    backend_id = "holdfast"
    supports_default_options = True

    def __init__(self, holdfast: AsyncHoldfast, *, file_bytes: int = FILE_BYTES) -> None:
        super().__init__()
        self._holdfast = holdfast
        self._file_bytes = file_bytes

    async def create(
        self,
        *,
        snapshot: Union[SnapshotSpec, SnapshotBase, None] = None,
        manifest: Optional[Manifest] = None,
        options: Optional[HoldfastSandboxOptions] = None,
    ) -> SandboxSession:
        """A sandbox in a new session."""
        wanted = options or HoldfastSandboxOptions()
        session = await self._holdfast.sessions.create(**wanted.session)
        try:
            wanted_manifest = manifest or Manifest()
            if wanted_manifest.root != ROOT:
                raise ValueError("the session decides about the place of its workspace: leave out the `root` of the manifest")
            placed = self._validate_manifest_for_create(await _placed(wanted_manifest, session))
            session_id = uuid.uuid4()
            state = HoldfastSandboxState(
                session_id=session_id,
                manifest=placed,
                snapshot=resolve_snapshot(snapshot, str(session_id)),
                exposed_ports=wanted.exposed_ports,
                holdfast_session_id=session.id,
                holdfast_options=encode({name: value for name, value in wanted.session.items() if name in KEPT}),
            )
        except BaseException:
            await to_the_end(session.delete)
            raise
        return self._wrap_session(HoldfastSandboxSession(state, session, file_bytes=self._file_bytes))

    async def delete(self, session: SandboxSession) -> SandboxSession:
        """Deletes the session of a sandbox."""
        await session._inner.shutdown()
        return session

    async def resume(self, state: SandboxSessionState) -> SandboxSession:
        """Opens the session of a sandbox again, which may be paused. If it has ended, another one takes its place.

        That has the options of the first, without `env` and `webhooks`, which a state does not hold.
        """
        if not isinstance(state, HoldfastSandboxState):
            raise TypeError("this is not the state of a Holdfast sandbox")
        state.assert_path_grants_rebound()
        session = await self._living(state.holdfast_session_id)
        if session is None:
            session = await self._holdfast.sessions.create(**state.holdfast_options)
            state.holdfast_session_id, state.workspace_root_ready = session.id, False
        state.manifest = await _placed(state.manifest, session)
        inner = HoldfastSandboxSession(state, session, file_bytes=self._file_bytes)
        inner._set_start_state_preserved(state.workspace_root_ready)
        return self._wrap_session(inner)

    def deserialize_session_state(self, payload: Dict[str, object]) -> SandboxSessionState:
        """The state that `serialize_session_state` made a document of."""
        return self._deserialize_session_state_payload(payload, HoldfastSandboxState)

    async def _living(self, session_id: str) -> Optional[AsyncSession]:
        try:
            session = await self._holdfast.sessions.get(session_id)
        except ProblemError as problem:
            if problem.status in (404, 410):
                return None
            raise
        if session.record.status == "paused":
            await session.resume()
        return session if session.record.ended_at is None else None


async def _placed(manifest: Manifest, session: AsyncSession) -> Manifest:
    """With the place of the workspace, which may be another one in each sandbox of the session."""
    root = (await session.processes.run(["pwd", "-P"])).stdout.rstrip("\n")
    return manifest.model_copy(update={"root": root})


async def _output_of(process: AsyncProcess, stream: str) -> bytes:
    content = await read_at_most(process.output(stream), OUTPUT_BYTES + 1)
    if len(content) <= OUTPUT_BYTES:
        return content
    return content[:OUTPUT_BYTES] + b"\n[... the rest of the output is left out ...]\n"
