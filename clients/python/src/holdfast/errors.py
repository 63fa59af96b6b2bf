"""Everything that can go wrong. Code that fails in a session is a result, not an error: see `Step.error`."""

from __future__ import annotations

import json
import math
from typing import Any, Mapping, cast

from ._decode import decode_object
from .models import ProblemCode, RequestFault


class HoldfastError(Exception):
    """Any error of this package."""


class ConnectionFailed(HoldfastError):
    """The server could not be reached, or the connection broke, and repeating did not help or was not safe."""


class InputLost(HoldfastError):
    """Input of a process may not have arrived: the connection broke, or the process did not read it."""


class OperationError(HoldfastError):
    """Raise it in a function of `on_operation`: the code that called gets an `OperationError` with this message and name."""

    def __init__(self, message: str, *, name: str = "OperationError") -> None:
        super().__init__(message)
        self.message = message
        self.name = name


class ProblemError(HoldfastError):
    """The server refused the request or failed. `code` says why; the subclasses follow the HTTP status."""

    def __init__(self, status: int, problem: Mapping[str, Any], retry_after: float | None = None) -> None:
        self.status = status
        self.code = cast(ProblemCode, problem.get("code") or "internal")
        self.title = str(problem.get("title") or f"HTTP status {status}")
        self.detail: str | None = problem.get("detail")
        faults = problem.get("errors")
        listed = faults if isinstance(faults, list) else []
        self.errors: list[RequestFault] = [decode_object(RequestFault, fault) for fault in listed if isinstance(fault, dict)]
        """The faults of an `invalid-request`, each with a JSON pointer to its place."""
        self.request_id: str | None = problem.get("requestId")
        """Names the request in the server's log."""
        self.end_reason: str | None = problem.get("endReason")
        self.ended_at: str | None = problem.get("endedAt")
        self.retry_after = retry_after
        """How many seconds the server asks to wait before the next attempt."""
        super().__init__(self._text())

    def _text(self) -> str:
        faults = "".join(f"\n  {fault.pointer}: {fault.detail}" for fault in self.errors)
        detail = f": {self.detail}" if self.detail else ""
        request = f" (request {self.request_id})" if self.request_id else ""
        return f"{self.title}{detail} [{self.status} {self.code}]{request}{faults}"

    def __reduce__(self) -> Any:
        return (_restore, (type(self), self.args, self.__dict__))


class InvalidRequest(ProblemError):
    """400, 413, 415, 416, 422: something in the request is wrong or cannot be done."""


class Unauthenticated(ProblemError):
    """401: an API key is missing or wrong."""


class Forbidden(ProblemError):
    """403: the key or the policy of the session does not allow it."""


class NotFound(ProblemError):
    """404."""


class Conflict(ProblemError):
    """409, 412: the session, the file or the context is not in the state that the request needs."""


class Ended(ProblemError):
    """410: the session has ended. `end_reason` and `ended_at` say why and when."""


class TooManyRequests(ProblemError):
    """429: a quota or the budget is used up."""


class ServerFailed(ProblemError):
    """5xx: the service failed or is not available."""


_BY_STATUS = {401: Unauthenticated, 403: Forbidden, 404: NotFound, 409: Conflict, 410: Ended, 412: Conflict, 429: TooManyRequests}


def problem_error(status: int, body: bytes, headers: Mapping[str, str]) -> ProblemError:
    """The error of an answer. A body that is not a problem, such as a proxy's page, is not repeated in it."""
    try:
        problem = json.loads(body)
    except ValueError:
        problem = None
    return from_problem(status, problem if isinstance(problem, dict) else {}, retry_after(headers))


def from_problem(status: int, problem: Mapping[str, Any], retry_after: float | None = None) -> ProblemError:
    """Makes the error for a problem document; `retry_after` is in seconds."""
    cls = _BY_STATUS.get(status) or (ServerFailed if status >= 500 else InvalidRequest)
    return cls(status, problem, retry_after)


def retry_after(headers: Mapping[str, str]) -> float | None:
    """The header as seconds. Its form with a date is not used by the service."""
    try:
        seconds = float(headers.get("retry-after", ""))
    except ValueError:
        return None
    return max(0.0, seconds) if math.isfinite(seconds) else None


def _restore(cls: type[ProblemError], args: tuple[Any, ...], state: dict[str, Any]) -> ProblemError:
    error = cls.__new__(cls)
    error.args = args
    error.__dict__.update(state)
    return error
