# Generated from `_async/transport.py` by `generate/sync.py`: do not edit.
"""Sends requests, and repeats those that can be repeated."""

from __future__ import annotations

import json
import logging
import os
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Iterator, Callable, Dict, Mapping, Optional, Tuple, Type, TypeVar

import httpx

from .. import _requests as requests
from .._bodies import Replay
from .._decode import decode, decode_object
from .._requests import Request
from .._retries import Retries, may_repeat
from ..errors import ConnectionFailed, HoldfastError, ProblemError, problem_error
from .driver import body_of, sleep
from .output import OnBegin

T = TypeVar("T")
CONNECT_SECONDS = 10.0
log = logging.getLogger("holdfast")


class Transport:
    def __init__(
        self,
        client: httpx.Client,
        retries: Retries,
        url: str,
        headers: Mapping[str, str],
        *,
        make_client: Optional[Callable[[], httpx.Client]] = None,
    ) -> None:
        self.client = client
        self._process_id = os.getpid()
        self._make_client = make_client
        self.retries = retries
        self._url = url.rstrip("/")
        self.shown_url = str(httpx.URL(self._url).copy_with(username=None, password=None))
        """Without the name and the password that a URL can have."""
        self._headers = headers
        self._is_reached = False

    def address(self, url: str) -> str:
        """A URL of an answer as others can use it: the service gives a path if it does not know its own address."""
        return self.shown_url + url if url.startswith("/") else url

    def fetch(self, cls: Type[T], request: Request) -> T:
        """The answer as an object of the class."""
        return (self.fetch_made(cls, request))[0]

    def fetch_made(self, cls: Type[T], request: Request) -> Tuple[T, bool]:
        """The answer as an object of the class, and whether the request has made what it describes."""
        status, body = self._answer(request)
        value = _value_of(request, body)
        if not isinstance(value, dict):
            raise _of_another(request)
        return decode_object(cls, value), status == 201

    def fetch_list(self, cls: Type[T], request: Request, key: str = "items") -> list[T]:
        return [decode_object(cls, item) for item in (self.json(request))[key]]

    def json(self, request: Request) -> Any:
        return _value_of(request, self.whole(request))

    def whole(self, request: Request) -> bytes:
        """The body of the answer."""
        return (self._answer(request))[1]

    def _answer(self, request: Request) -> Tuple[int, bytes]:
        body = body_of(request.content)
        failures = 0
        while True:
            response = self.open(request, body)
            try:
                return response.status_code, response.read()
            except httpx.RequestError as failure:
                failures += 1
                if failures > self.retries.limit or not request.repeatable or not body.again:
                    raise ConnectionFailed(f"{request.method} {request.path}: the answer broke off") from failure
            finally:
                response.close()
            sleep(self.retries.pause(failures))

    def pieces(self, request: Request) -> Iterator[bytes]:
        """The body of the answer in pieces. It cannot go on after a break."""
        response = self.open(request)
        try:
            for piece in response.iter_bytes():
                yield piece
        except httpx.RequestError as failure:
            raise ConnectionFailed(f"{request.method} {request.path}: {_reason(failure)}") from failure
        finally:
            response.close()

    def pages(self, cls: Type[T], request: Request) -> Iterator[T]:
        """All items, page by page."""
        cursor: Optional[str] = None
        while True:
            page = self.json(replace(request, query={**request.query, "cursor": cursor}))
            for item in page["items"]:
                yield decode(cls, item)
            cursor = page.get("nextCursor")
            if not cursor:
                return

    def open(self, request: Request, body: Optional[Replay] = None) -> httpx.Response:
        """The answer before its body, once its status is one of success. The caller closes it."""
        body = body or body_of(request.content)
        failures = 0
        while True:
            try:
                return self._attempt(request, body.make, failures > 0)
            except httpx.RequestError as failure:
                failures += 1
                if failures > self._limit() or not may_repeat(request, failure) or not body.again:
                    raise ConnectionFailed(f"{request.method} {request.path} at {self.shown_url}: {_reason(failure)}") from failure
                pause = self.retries.pause(failures)
            except ProblemError as problem:
                failures += 1
                if not self.retries.allows(failures, problem.retry_after) or not may_repeat(request, problem) or not body.again:
                    raise
                pause = self.retries.pause(failures, problem.retry_after)
            log.debug("%s %s is repeated in %.1f s", request.method, request.path, pause)
            sleep(pause)

    def _attempt(self, request: Request, make_body: Callable[[], Any], again: bool) -> httpx.Response:
        options: Dict[str, Any] = {"content": make_body()} if request.json is None else {"json": request.json}
        headers = {**self._headers, **request.all_headers()}
        timeout = httpx.Timeout(CONNECT_SECONDS, read=request.read_seconds, write=request.read_seconds)
        self._leave_parent()
        built = self.client.build_request(
            request.method, self._url + request.path, params=request.all_query(), headers=headers, timeout=timeout, **options
        )
        response = self.client.send(built, stream=True)
        self._is_reached = True
        if response.status_code < 300:
            return response
        # An earlier attempt may have deleted it.
        if again and request.method == "DELETE" and response.status_code in (404, 410):
            return response
        try:
            body = response.read()
        finally:
            response.close()
        raise problem_error(response.status_code, body, response.headers)

    def _limit(self) -> int:
        return self.retries.limit if self._is_reached else min(self.retries.limit, self.retries.unreached_limit)

    def _leave_parent(self) -> None:
        """A process that was forked has connections of its own: on those of its parent, each could get the answers of the other."""
        if self._make_client is not None and self._process_id != os.getpid():
            self.client, self._process_id = self._make_client(), os.getpid()

    @contextmanager
    def content(self, path: str, etag: Optional[str], begin: int) -> Iterator[httpx.Response]:
        """The bytes at a path from a place on, if they are still those with this ETag."""
        headers = {"Accept": "*/*", "Accept-Encoding": "identity"}
        if begin > 0 and etag:
            headers.update({"Range": f"bytes={begin}-", "If-Range": etag})
        response = self.open(requests.get(path, headers=headers))
        try:
            yield response
        finally:
            response.close()

    def bytes_of(self, path: str, on_begin: Optional[OnBegin] = None) -> Iterator[bytes]:
        """The bytes at a path. After a break it goes on at the same place, unless the file has changed.

        `on_begin` gets the headers of the answer that has the first of them.
        """
        received, failures = 0, 0
        etag: Optional[str] = None
        while True:
            try:
                with self.content(path, etag, received) as response:
                    if received > 0 and response.status_code != 206:
                        raise ConnectionFailed(f"GET {path}: the connection broke, and the file has changed since")
                    etag = response.headers.get("etag")
                    if on_begin is not None and received == 0:
                        on_begin(response.headers)
                    for piece in response.iter_raw():
                        received += len(piece)
                        failures = 0
                        yield piece
                    return
            except httpx.RequestError as failure:
                failures += 1
                if failures > self.retries.limit or (received > 0 and not etag):
                    raise ConnectionFailed(f"GET {path}: {_reason(failure)}") from failure
                sleep(self.retries.pause(failures))


def _reason(failure: httpx.RequestError) -> str:
    return str(failure) or type(failure).__name__


def _value_of(request: Request, body: bytes) -> Any:
    try:
        return json.loads(body) if body else None
    except ValueError:
        raise _of_another(request) from None


def _of_another(request: Request) -> HoldfastError:
    return HoldfastError(f"{request.method} {request.path}: the answer is not one of this service")
