"""Decides whether and when a request that failed is sent again."""

from __future__ import annotations

import random
import ssl
from dataclasses import dataclass
from typing import Optional, Union

import httpx

from ._requests import Request
from .errors import ProblemError

NEVER_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)
GOOD_SECONDS = 5.0
"""A connection that held so long was a good one, although it may have been silent but for its heartbeat."""
# The server refuses these before it does anything.
NOT_BEGUN = ("draining", "session-starting")


@dataclass(frozen=True)
class Retries:
    """How long a client keeps trying: at most `limit` repeats, with pauses that double up to `longest_seconds`. By default that is 30 to 60 s.

    A server that cannot be reached and has never answered this client is more likely absent than restarting, so it is tried again at most
    `unreached_limit` times. If the server asks for a longer wait than `longest_asked_seconds`, its refusal is raised at once.
    """

    limit: int = 12
    unreached_limit: int = 4
    first_seconds: float = 0.2
    longest_seconds: float = 8.0
    longest_asked_seconds: float = 60.0

    def allows(self, failures: int, asked: Optional[float] = None) -> bool:
        """Whether there is a repeat after this many failures, if the server asks to wait so long."""
        return failures <= self.limit and (asked or 0.0) <= self.longest_asked_seconds

    def pause(self, failures: int, asked: Optional[float] = None) -> float:
        """Seconds before the repeat that follows this many failures. Half of it is chance, so that clients do not return all at once."""
        full = min(self.longest_seconds, self.first_seconds * 2.0 ** min(failures - 1, 30))
        return max(asked or 0.0, full * (0.5 + random.random() / 2))


def may_repeat(request: Request, failure: Union[httpx.RequestError, ProblemError]) -> bool:
    if not isinstance(failure, ProblemError):
        if isinstance(failure, (httpx.UnsupportedProtocol, httpx.LocalProtocolError)) or _is_of_a_certificate(failure):
            return False
        return request.repeatable or isinstance(failure, NEVER_SENT)
    if failure.code in NOT_BEGUN:
        return True
    if failure.status == 429:
        return failure.retry_after is not None
    if not request.repeatable:
        return False
    return failure.status in (503, 504) or failure.code == "idempotency-conflict" or _is_of_a_proxy(failure)


def _is_of_a_proxy(failure: ProblemError) -> bool:
    return failure.status == 502 and failure.code == "internal"


def _is_of_a_certificate(failure: BaseException) -> bool:
    cause: Optional[BaseException] = failure
    while cause is not None and not isinstance(cause, ssl.SSLCertVerificationError):
        cause = cause.__cause__ or cause.__context__
    return cause is not None
