"""The messages of a channel to a process, and how far its output has been read."""

from __future__ import annotations

import json
from collections import deque
from dataclasses import dataclass
from typing import Any, Deque, Dict, Optional, Union

from ._decode import decode_object
from .errors import HoldfastError, InputLost, from_problem
from .models import ProcessRecord, TerminalSize


@dataclass(frozen=True)
class ChannelOutput:
    """Output of a process as it came over a channel."""

    bytes: bytes
    """Output of both streams in their order."""
    seq: int
    """The place behind these bytes, with which another channel goes on: `process.channel(after=seq)`."""
    missing_before: int = 0
    """So many bytes before these came and are not stored any more."""


class ChannelState:
    """Everything that has come over the connections of a channel."""

    def __init__(self, after: int) -> None:
        self.seq = after
        """The place behind the last byte that has come."""
        self.waiting: Deque[ChannelOutput] = deque()
        self.process: Optional[ProcessRecord] = None
        """The process, once it has ended."""
        self.size: Optional[TerminalSize] = None
        self._missing = 0
        self._refusal: Optional[HoldfastError] = None

    def take(self, message: Union[bytes, str]) -> None:
        if isinstance(message, bytes):
            self.seq += len(message)
            self.waiting.append(ChannelOutput(message, self.seq, self._missing))
            self._missing = 0
        else:
            self._note(json.loads(message))

    def raise_refusal(self) -> None:
        """Messages have no answers: a refusal comes with the output, and is raised once, by the call that follows."""
        refusal, self._refusal = self._refusal, None
        if refusal is None and self.process is not None:
            refusal = from_problem(409, {"code": "process-ended", "title": "The process has ended"})
        if refusal is not None:
            raise refusal

    def _note(self, notice: Dict[str, Any]) -> None:
        kind = notice["type"]
        if kind in ("position", "truncated", "finished"):
            self.seq = notice["seq"]
        if kind == "truncated":
            self._missing += notice["bytes"]
        elif kind == "problem":
            self._refusal = from_problem(notice["problem"]["status"], notice["problem"])
        elif kind == "unread":
            self._refusal = InputLost(f"the process did not read the last {notice['bytes']} bytes of its input")
        elif kind == "finished":
            self.process = decode_object(ProcessRecord, notice["process"])
