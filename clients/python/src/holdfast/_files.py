"""The entries of directories."""

from __future__ import annotations

from typing import Iterable, List

from .models import FileEntry


class FileEntries(List[FileEntry]):
    """The entries of a directory, sorted by path."""

    def __init__(self, entries: Iterable[FileEntry], truncated: bool) -> None:
        super().__init__(entries)
        self.truncated = truncated
        """Whether some are missing, because there are too many or because they cannot be listed."""
