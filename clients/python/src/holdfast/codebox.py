"""A class with the methods of `codeboxapi.CodeBox`, for code that was written for it.

```python
from holdfast.codebox import CodeBox

with CodeBox() as codebox:
    codebox.upload("data.csv", b"1,2,3")
    print(codebox.exec("print(open('data.csv').read())").text)
```
"""

from __future__ import annotations

import os
import threading
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, AsyncIterator, Dict, Iterator, List, Optional, Union

from anyio import Lock
from anyio.lowlevel import RunVar

from ._async.client import AsyncHoldfast
from ._async.driver import to_the_end
from ._async.session import AsyncSession
from ._codebox import (
    CodeBoxOutput,
    ExecChunk,
    ExecResult,
    chunk_of,
    chunk_of_process,
    code_of,
    entering,
    install_code,
    leaving,
    options_of,
    output_of,
    raise_timeout,
    url_code,
    variables_code,
    variables_of,
)
from ._sync.client import Holdfast
from ._sync.session import Session
from .errors import Ended, HoldfastError, NotFound

__all__ = ["CodeBox", "CodeBoxOutput", "ExecChunk", "ExecResult", "RemoteFile"]

Code = Union[str, "os.PathLike[str]"]


@dataclass
class RemoteFile:
    """A file in a box."""

    path: str
    remote: CodeBox
    size: Optional[int] = None
    _content: Optional[bytes] = field(default=None, repr=False)

    @property
    def name(self) -> str:
        """Its name without directories."""
        return self.path.rsplit("/", 1)[-1]

    @property
    def content(self) -> bytes:
        """All of it, which is read once."""
        return self.get_content()

    def get_content(self) -> bytes:
        """All of it, which is read once."""
        if self._content is None:
            self._content = b"".join(self.remote.stream_download(self.path))
        return self._content

    async def aget_content(self) -> bytes:
        """All of it, which is read once."""
        if self._content is None:
            self._content = b"".join([piece async for piece in self.remote.astream_download(self.path)])
        return self._content

    def get_size(self) -> int:
        """In bytes."""
        return len(self.get_content()) if self.size is None else self.size

    async def aget_size(self) -> int:
        """In bytes."""
        return len(await self.aget_content()) if self.size is None else self.size

    def save(self, local_path: str) -> None:
        """Writes it to a local path."""
        self.remote.session.files.download(self.path, local_path)

    async def asave(self, local_path: str) -> None:
        """Writes it to a local path."""
        await (await self.remote.asession()).files.download(self.path, local_path)

    def __str__(self) -> str:
        return self.name


class CodeBox:
    """One session, made by the first method that needs it, or opened by its id.

    Each method has an asynchronous twin whose name begins with `a`. `url` and `api_key` are those of `Holdfast`; `factory_id` is the name of a
    profile. `session` is the session itself, with everything that boxes do not have, such as contexts and snapshots.
    """

    def __init__(
        self,
        session_id: Optional[str] = None,
        api_key: Optional[str] = None,
        factory_id: Optional[str] = None,
        *,
        url: Optional[str] = None,
        **_: Any,
    ) -> None:
        self.session_id = session_id
        self.api_key = None if api_key in ("local", "docker") else api_key
        self.factory_id = factory_id
        self._url = url
        self._is_own = session_id is None
        self._is_stopped = False
        self._holdfast: Optional[Holdfast] = None
        self._session: Optional[Session] = None
        # Connections belong to the event loop in which they were made.
        self._asynchronous: RunVar[Optional[AsyncSession]] = RunVar("asynchronous", None)
        # Calls at the same time share one session.
        self._opening = threading.Lock()
        self._opening_asynchronous: RunVar[Optional[Lock]] = RunVar("opening", None)

    @property
    def session(self) -> Session:
        """The session of the box."""
        with self._opening:
            if self._session is None:
                self._holdfast = self._holdfast or Holdfast(self._url, api_key=self.api_key)
                sessions = self._holdfast.sessions
                self._session = sessions.create(**self._options()) if self.session_id is None else sessions.get(self.session_id)
                self.session_id = self._session.id
                self._is_stopped = False
            return self._session

    async def asession(self) -> AsyncSession:
        """The session of the box, for asynchronous code."""
        opening = self._opening_asynchronous.get() or Lock()
        self._opening_asynchronous.set(opening)
        async with opening:
            session = self._asynchronous.get()
            if session is None:
                sessions = AsyncHoldfast(self._url, api_key=self.api_key).sessions
                session = await sessions.create(**self._options()) if self.session_id is None else await sessions.get(self.session_id)
                self.session_id = session.id
                self._asynchronous.set(session)
                self._is_stopped = False
            return session

    def __enter__(self) -> CodeBox:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    async def __aenter__(self) -> CodeBox:
        await self.astart()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.astop()

    # Life

    def start(self) -> str:
        """Makes the session, unless it is there."""
        _ = self.session
        return "started"

    async def astart(self) -> str:
        """Makes the session, unless it is there."""
        await self.asession()
        return "started"

    def status(self) -> str:
        """`running` or `stopped`."""
        return "running" if self.healthcheck() == "healthy" else "stopped"

    async def astatus(self) -> str:
        """`running` or `stopped`."""
        return "running" if await self.ahealthcheck() == "healthy" else "stopped"

    def healthcheck(self) -> str:
        """`healthy` if code can run, or `error`. A box that was stopped stays so."""
        if self._is_stopped:
            return "error"
        try:
            return "healthy" if self.session.run("0", record="silent").ok else "error"
        except HoldfastError:
            return "error"

    async def ahealthcheck(self) -> str:
        """`healthy` if code can run, or `error`. A box that was stopped stays so."""
        if self._is_stopped:
            return "error"
        try:
            return "healthy" if (await (await self.asession()).run("0", record="silent")).ok else "error"
        except HoldfastError:
            return "error"

    def keep_alive(self, minutes: int = 15) -> None:
        """The session stays for so long without a call. This returns at once."""
        self.session.update(idle_timeout_seconds=max(self.session.record.idle_timeout_seconds, minutes * 60))

    async def akeep_alive(self, minutes: int = 15) -> None:
        """The session stays for so long without a call. This returns at once."""
        session = await self.asession()
        await session.update(idle_timeout_seconds=max(session.record.idle_timeout_seconds, minutes * 60))

    def restart(self) -> None:
        """Begins with a new interpreter. Files stay."""
        self.session.contexts.restart("python")

    async def arestart(self) -> None:
        """Begins with a new interpreter. Files stay."""
        await (await self.asession()).contexts.restart("python")

    def stop(self) -> str:
        """Deletes the session that this box has made, and closes the connections. A session that was opened by its id stays."""
        try:
            if self._is_own and self.session_id is not None:
                with suppress(Ended, NotFound):
                    self.session.delete()
        finally:
            if self._holdfast is not None:
                self._holdfast.close()
            self._forget()
        return "stopped"

    async def astop(self) -> str:
        """Deletes the session that this box has made, and closes the connections. A session that was opened by its id stays."""
        await to_the_end(self._astop)
        return "stopped"

    async def _astop(self) -> None:
        try:
            if self._is_own and self.session_id is not None:
                with suppress(Ended, NotFound):
                    await (await self.asession()).delete()
        finally:
            session = self._asynchronous.get()
            if session is not None:
                await session._transport.client.aclose()
            self._asynchronous.set(None)
            self._forget()

    # Code

    def exec(self, code: Code, kernel: str = "ipython", timeout: Optional[float] = None, cwd: Optional[str] = None) -> ExecResult:
        """Runs code, or a file of code. `kernel` is `ipython`, `bash`, or the name of another language or context of the session.

        `cwd` is for Python, Node and bash. Raises `TimeoutError` after `timeout` seconds.
        """
        return ExecResult(list(self.stream_exec(code, kernel, timeout, cwd)))

    async def aexec(self, code: Code, kernel: str = "ipython", timeout: Optional[float] = None, cwd: Optional[str] = None) -> ExecResult:
        """Runs code, or a file of code. `kernel` is `ipython`, `bash`, or the name of another language or context of the session.

        `cwd` is for Python, Node and bash. Raises `TimeoutError` after `timeout` seconds.
        """
        return ExecResult([chunk async for chunk in self.astream_exec(code, kernel, timeout, cwd)])

    def stream_exec(
        self, code: Code, kernel: str = "ipython", timeout: Optional[float] = None, cwd: Optional[str] = None
    ) -> Iterator[ExecChunk]:
        """The same, piece by piece while it runs. The code is stopped if no more pieces are taken."""
        source, session = code_of(code), self.session
        if kernel == "bash":
            process = session.processes._start_own(["bash", "-c", source], **options_of(timeout, cwd=cwd))
            try:
                for one in process.events():
                    yield from chunk_of_process(one)
            except BaseException:
                process.stop()
                raise
            raise_timeout(process.refresh().status, timeout)
            return
        back = None if cwd is None else leaving(session.run(**entering(cwd, kernel)), cwd, kernel)
        events = session.stream(source, **options_of(timeout, kernel=kernel))
        try:
            with events:
                for event in events:
                    yield from chunk_of(event)
        except BaseException:
            events.interrupt()
            raise
        finally:
            if back is not None:
                session.run(**back)
        raise_timeout(events.step.status, timeout)

    async def astream_exec(
        self, code: Code, kernel: str = "ipython", timeout: Optional[float] = None, cwd: Optional[str] = None
    ) -> AsyncIterator[ExecChunk]:
        """The same, piece by piece while it runs. The code is stopped if no more pieces are taken."""
        source, session = code_of(code), await self.asession()
        if kernel == "bash":
            process = await session.processes._start_own(["bash", "-c", source], **options_of(timeout, cwd=cwd))
            try:
                async for one in process.events():
                    for chunk in chunk_of_process(one):
                        yield chunk
            except BaseException:
                await to_the_end(process.stop)
                raise
            raise_timeout((await process.refresh()).status, timeout)
            return
        back = None if cwd is None else leaving(await session.run(**entering(cwd, kernel)), cwd, kernel)
        events = session.stream(source, **options_of(timeout, kernel=kernel))
        try:
            async with events:
                async for event in events:
                    for chunk in chunk_of(event):
                        yield chunk
        except BaseException:
            await to_the_end(events.interrupt)
            if back is not None:
                await to_the_end(lambda: _leave(session, back))
            raise
        if back is not None:
            await _leave(session, back)
        raise_timeout(events.step.status, timeout)

    def run(self, code: Code) -> CodeBoxOutput:
        """Runs code and gives its first image, or its first error, or its output."""
        return output_of(self.exec(code))

    async def arun(self, code: Code) -> CodeBoxOutput:
        """Runs code and gives its first image, or its first error, or its output."""
        return output_of(await self.aexec(code))

    def show_variables(self) -> Dict[str, str]:
        """The variables of the interpreter, as `str` shows them."""
        return variables_of(self.session.run(variables_code(self.session.context()), record="silent"))

    async def ashow_variables(self) -> Dict[str, str]:
        """The variables of the interpreter, as `str` shows them."""
        session = await self.asession()
        return variables_of(await session.run(variables_code(await session.context()), record="silent"))

    # Packages

    def install(self, *packages: str) -> str:
        """Installs packages of Python."""
        _checked(self.exec(install_code(packages)))
        return f"{' '.join(packages)} installed successfully"

    async def ainstall(self, *packages: str) -> str:
        """Installs packages of Python."""
        _checked(await self.aexec(install_code(packages)))
        return f"{' '.join(packages)} installed successfully"

    def list_packages(self) -> List[str]:
        """The names of the installed packages of Python."""
        return self.exec(LIST_PACKAGES).text.splitlines()

    async def alist_packages(self) -> List[str]:
        """The names of the installed packages of Python."""
        return (await self.aexec(LIST_PACKAGES)).text.splitlines()

    # Files

    def upload(self, remote_file_path: str, content: Any, timeout: Optional[float] = None) -> RemoteFile:
        """Writes a file: text, bytes or an open file."""
        self.session.files.write(remote_file_path, content)
        return RemoteFile(remote_file_path, self)

    async def aupload(self, remote_file_path: str, content: Any, timeout: Optional[float] = None) -> RemoteFile:
        """Writes a file: text, bytes or an open file."""
        await (await self.asession()).files.write(remote_file_path, content)
        return RemoteFile(remote_file_path, self)

    def download(self, remote_file_path: str, timeout: Optional[float] = None) -> RemoteFile:
        """A file, whose content is read when it is asked for. Raises `FileNotFoundError`."""
        return self._file(remote_file_path, self.session.files.stat(remote_file_path))

    async def adownload(self, remote_file_path: str, timeout: Optional[float] = None) -> RemoteFile:
        """A file, whose content is read when it is asked for. Raises `FileNotFoundError`."""
        return self._file(remote_file_path, await (await self.asession()).files.stat(remote_file_path))

    def stream_download(self, remote_file_path: str, timeout: Optional[float] = None) -> Iterator[bytes]:
        """The content of a file in pieces."""
        return self.session.files.pieces(remote_file_path)

    async def astream_download(self, remote_file_path: str, timeout: Optional[float] = None) -> AsyncIterator[bytes]:
        """The content of a file in pieces."""
        async for piece in (await self.asession()).files.pieces(remote_file_path):
            yield piece

    def list_files(self) -> List[RemoteFile]:
        """All files of the workspace, or those that fit into one listing."""
        entries = self.session.files.list(depth=DEPTH)
        return [RemoteFile(entry.path, self, entry.size) for entry in entries if entry.kind == "file"]

    async def alist_files(self) -> List[RemoteFile]:
        """All files of the workspace, or those that fit into one listing."""
        entries = await (await self.asession()).files.list(depth=DEPTH)
        return [RemoteFile(entry.path, self, entry.size) for entry in entries if entry.kind == "file"]

    def file_from_url(self, url: str, file_path: str) -> RemoteFile:
        """Downloads a file from the network into the box."""
        _checked(self.exec(url_code(url, file_path)))
        return self.download(file_path)

    async def afile_from_url(self, url: str, file_path: str) -> RemoteFile:
        """Downloads a file from the network into the box."""
        _checked(await self.aexec(url_code(url, file_path)))
        return await self.adownload(file_path)

    def _file(self, path: str, stat: Any) -> RemoteFile:
        if stat is None or stat.kind != "file":
            raise FileNotFoundError(path)
        return RemoteFile(path, self, stat.size)

    def _options(self) -> Any:
        return {} if self.factory_id in (None, "default") else {"profile": self.factory_id}

    def _forget(self) -> None:
        self._holdfast, self._session = None, None
        self._is_stopped = True
        if self._is_own:
            self.session_id = None


DEPTH = 20
LIST_PACKAGES = "print('\\n'.join(sorted({one.metadata['Name'] for one in __import__('importlib.metadata').metadata.distributions()})))"


async def _leave(session: AsyncSession, back: Dict[str, Any]) -> None:
    await session.run(**back)


def _checked(result: ExecResult) -> None:
    if result.errors:
        raise HoldfastError("".join(result.errors))
