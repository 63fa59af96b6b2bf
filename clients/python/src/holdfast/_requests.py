"""A request as a value, before anything is sent."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from typing import Any, Dict, Mapping, Optional
from urllib.parse import quote

from ._decode import camel_case, encode

JSON = "application/json"
EVENTS = "text/event-stream"

ANSWER_SECONDS = 300.0
"""An answer may wait until a sandbox has started."""
QUIET_SECONDS = 45.0
"""A stream of events is never silent for longer than 15 s, so a longer silence is a broken connection."""


@dataclass(frozen=True)
class Request:
    method: str
    path: str
    query: Mapping[str, Any] = field(default_factory=dict)
    json: Any = None
    content: Any = None
    """A body that is not JSON: bytes, a file or an iterable of bytes."""
    headers: Mapping[str, str] = field(default_factory=dict)
    repeatable: bool = False
    """Whether sending it twice does the same as sending it once."""

    @property
    def read_seconds(self) -> float:
        """How long a silence of the server may last."""
        return QUIET_SECONDS if self.headers.get("Accept") == EVENTS else ANSWER_SECONDS

    def all_headers(self) -> Dict[str, str]:
        headers = {"Accept": JSON, **self.headers}
        if self.json is not None:
            headers["Content-Type"] = JSON
        return headers

    def all_query(self) -> Dict[str, Any]:
        return {key: _text(value) for key, value in self.query.items() if value is not None}


def get(path: str, /, *, headers: Optional[Mapping[str, str]] = None, **query: Any) -> Request:
    return Request("GET", path, query=_wire(query), headers=headers or {}, repeatable=True)


def follow(path: str, /, **query: Any) -> Request:
    """Asks for events."""
    return get(path, headers={"Accept": EVENTS}, **query)


def delete(path: str, /, **query: Any) -> Request:
    return Request("DELETE", path, query=_wire(query), headers=_keyed(), repeatable=True)


def patch(path: str, body: Mapping[str, Any]) -> Request:
    """A change, in which `None` is a value like any other."""
    changes = {camel_case(name): encode(value) for name, value in body.items()}
    return Request("PATCH", path, json=changes, headers=_keyed(), repeatable=True)


def create(path: str, body: Any = None, *, query: Optional[Mapping[str, Any]] = None, accept: str = JSON) -> Request:
    """A POST that the server does once for each `Idempotency-Key`, so that it can be repeated."""
    return Request(
        "POST", path, query=_wire(query or {}), json=fields(body or {}), headers={**_keyed(), "Accept": accept}, repeatable=True
    )


def act(path: str, body: Any = None, *, repeatable: bool = False) -> Request:
    """A POST that has no memory of earlier ones. It is repeated only if it certainly did nothing."""
    return Request("POST", path, json=fields(body or {}), headers=_keyed(), repeatable=repeatable)


def step_input(session_id: str, step_id: str, text: Optional[str]) -> Request:
    """A line of input, or its end. With its key, it answers one question however often it is sent."""
    path = session_path(session_id, "steps", step_id, "stdin")
    return Request("POST", path, json={"text": text}, headers=_keyed(), repeatable=True)


def session_path(session_id: str, *parts: str) -> str:
    return "/".join(["/v1/sessions", *(part_of_path(part) for part in (session_id, *parts))])


def part_of_path(name: str) -> str:
    """An id or a name. Dots are refused, because they would lead to another place of the API, such as the session itself."""
    if name in ("", ".", ".."):
        raise ValueError(f"{name!r} is not an id or a name")
    return quote(name, safe="")


def authorization(key: Optional[str]) -> Dict[str, str]:
    """The header for a key, which often comes with a line's end. The error of a header that cannot be sent would show the key."""
    key = (key or "").strip()
    if not (key.isascii() and key.isprintable()):
        raise ValueError("the API key has characters that no API key has")
    return {"Authorization": f"Bearer {key}"} if key else {}


def fields(body: Any) -> Any:
    """The names of arguments as in JSON. `None` is an argument that was not given."""
    if not isinstance(body, dict):
        return encode(body)
    return {camel_case(name): encode(value) for name, value in body.items() if value is not None}


def _wire(query: Mapping[str, Any]) -> Dict[str, Any]:
    return {camel_case(name.rstrip("_")): value for name, value in query.items()}


def _keyed() -> Dict[str, str]:
    return {"Idempotency-Key": secrets.token_urlsafe(18)}


def _text(value: Any) -> Any:
    if isinstance(value, bool):
        return "true" if value else "false"
    return value
