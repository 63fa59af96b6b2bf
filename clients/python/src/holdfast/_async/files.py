"""Files of a session. Paths are relative to the workspace, or absolute for places outside it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, AsyncIterator, Optional

from .. import _requests as requests
from .._endless_positions import WatchPosition
from .._files import FileEntries, file_path
from .._requests import Request
from ..errors import NotFound
from ..models import FileEvent, FileLink, FileList, FileStat, UnpackedArchive, WrittenFile
from .driver import write_to
from .streams import AsyncEvents
from .transport import AsyncTransport

BYTES = "application/octet-stream"


class AsyncFiles:
    """The files of a session."""

    def __init__(self, transport: AsyncTransport, session_id: str) -> None:
        self._transport = transport
        self._session_id = session_id

    async def read(self, path: str) -> bytes:
        """The whole file."""
        return b"".join([piece async for piece in self.pieces(path)])

    async def read_text(self, path: str) -> str:
        """The whole file as UTF-8."""
        return (await self.read(path)).decode()

    def pieces(self, path: str) -> AsyncIterator[bytes]:
        """The file in pieces, however large it is. After a break it goes on at the same place."""
        return self._transport.bytes_of(file_path(self._session_id, path))

    async def download(self, path: str, to: Any) -> None:
        """Writes the file to a local path."""
        await write_to(to, self.pieces(path))

    async def write(
        self, path: str, content: Any, *, if_match: Optional[str] = None, if_none_match: Optional[str] = None
    ) -> WrittenFile:
        """Creates or replaces the file as a whole. `content` is text, bytes, an open file, or an iterable of bytes, which is streamed.

        `if_match` is the SHA-256 that it must have now; `if_none_match="*"` keeps an existing file.
        """
        conditions = {"If-Match": _etag(if_match), "If-None-Match": _etag(if_none_match)}
        headers = {"Content-Type": BYTES, **{name: value for name, value in conditions.items() if value}}
        unconditional = if_match is None and if_none_match is None
        target = file_path(self._session_id, path)
        request = Request("PUT", target, content=content, headers=headers, repeatable=unconditional)
        return await self._transport.fetch(WrittenFile, request)

    async def list(self, path: str = "", *, depth: Optional[int] = None) -> FileEntries:
        """The entries of a directory, and with `depth` below it. `truncated` of the answer says whether some are missing."""
        request = requests.get(self._path("files"), path=path or None, depth=depth)
        found = await self._transport.fetch(FileList, request)
        return FileEntries(found.items, found.truncated)

    async def stat(self, path: str) -> Optional[FileStat]:
        """Kind, size, mode, owner and times of anything at a path, or `None` if there is nothing."""
        try:
            return await self._transport.fetch(FileStat, requests.get(self._path("stat"), path=path))
        except NotFound:
            # A session that does not exist is still an error.
            await self._transport.json(requests.get(self._path()))
            return None

    async def delete(self, path: str, *, recursive: Optional[bool] = None) -> None:
        """Deletes a file, or with `recursive` a directory with everything in it."""
        await self._transport.json(requests.delete(file_path(self._session_id, path), recursive=recursive))

    async def move(self, from_: str, to: str, *, overwrite: Optional[bool] = None) -> None:
        """Moves or renames. Without `overwrite`, something at `to` is kept and the call refused."""
        body = {"from": from_, "to": to, "overwrite": overwrite}
        await self._transport.json(requests.act(self._path("move"), body))

    async def make_directory(self, path: str) -> None:
        """Makes a directory with its parents. One that exists is fine."""
        await self._transport.json(requests.act(self._path("directories"), {"path": path}, repeatable=True))

    async def link(self, path: str, *, operation: str = "read", expires_seconds: int = 3600) -> FileLink:
        """A URL with which anyone can read or write this one file without a key."""
        body = {"path": path, "operation": operation, "expires_seconds": expires_seconds}
        link = await self._transport.fetch(FileLink, requests.act(self._path("files", "links"), body, repeatable=True))
        return replace(link, url=self._transport.address(link.url))

    def watch(self, path: str = "", *, recursive: bool = False) -> AsyncEvents[FileEvent]:
        """Changes below a directory. After `FileReadyEvent` and each `FileOverflowEvent`, list the files anew."""
        return AsyncEvents(self._transport, WatchPosition(self._session_id, path, recursive))

    def archive(self, path: str = "", *, format: str = "tar") -> AsyncIterator[bytes]:
        """A directory as `tar` or `zip`, in pieces."""
        request = requests.get(self._path("archive"), headers={"Accept": "*/*"}, path=path or None, format=format)
        return self._transport.pieces(request)

    async def unpack(self, content: Any, path: str = "", *, format: str = "tar") -> UnpackedArchive:
        """Unpacks a `tar` or `zip` into a directory."""
        headers = {"Content-Type": "application/zip" if format == "zip" else "application/x-tar"}
        query = {"path": path or None, "format": format}
        request = Request("PUT", self._path("archive"), query=query, content=content, headers=headers, repeatable=True)
        return await self._transport.fetch(UnpackedArchive, request)

    def _path(self, *parts: str) -> str:
        return requests.session_path(self._session_id, *parts)


def _etag(condition: Optional[str]) -> Optional[str]:
    return condition if condition in (None, "*") else f'"{condition}"'
