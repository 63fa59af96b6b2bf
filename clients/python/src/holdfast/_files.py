"""Paths of files, and the entries of directories."""

from __future__ import annotations

from posixpath import normpath
from typing import Iterable, List
from urllib.parse import quote

from ._requests import session_path
from .models import FileEntry


class FileEntries(List[FileEntry]):
    """The entries of a directory, sorted by path."""

    def __init__(self, entries: Iterable[FileEntry], truncated: bool) -> None:
        super().__init__(entries)
        self.truncated = truncated
        """Whether some are missing, because there are too many or because they cannot be listed."""


def file_path(session_id: str, path: str) -> str:
    """A relative path keeps its slashes; an absolute one is a single part. One that leads out of the workspace is a part that is refused."""
    files = session_path(session_id, "files")
    if path.startswith("/"):
        return f"{files}/{quote(path, safe='')}"
    if not {".", ".."}.isdisjoint(path.split("/")):
        path = normpath(path)
        if path.split("/")[0] in (".", ".."):
            return f"{files}/{quote(f'./{path}', safe='')}"
    return f"{files}/{quote(path)}"
