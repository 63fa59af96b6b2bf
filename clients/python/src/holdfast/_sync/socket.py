# Generated from `_async/socket.py` by `generate/sync.py`: do not edit.
"""A WebSocket (RFC 6455) over the connection of a request that was upgraded."""

from __future__ import annotations

import base64
import hashlib
import secrets
from typing import Any, List, Union

import httpcore
import httpx
from wsproto.connection import Connection, ConnectionType
from wsproto.events import BytesMessage, CloseConnection, Event, Ping, TextMessage

from .. import _requests as requests
from ..errors import HoldfastError
from .driver import Lock, hang_up, take_now
from .transport import Transport

READ_BYTES = 64 * 1024
TEXT_CHARACTERS = 64 * 1024 * 1024
ACCEPTS = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"


class SocketBroken(Exception):
    """The connection broke, or either side closed it."""


class Socket:
    """One connection. One reader and any number of writers may use it at the same time."""

    def __init__(self, response: httpx.Response) -> None:
        self._response = response
        self._stream: Any = response.extensions["network_stream"]
        self._protocol = Connection(ConnectionType.CLIENT)
        self._turn = Lock()
        self._pongs: List[Event] = []
        self._text: List[str] = []
        self._closed = False

    @staticmethod
    def open(transport: Transport, path: str, *, after: int) -> Socket:
        """Raises the problem with which the server refuses it."""
        key = base64.b64encode(secrets.token_bytes(16))
        headers = {
            "Connection": "Upgrade",
            "Upgrade": "websocket",
            "Sec-WebSocket-Version": "13",
            "Sec-WebSocket-Key": key.decode(),
        }
        response = transport.open(requests.get(path, headers=headers, after=after))
        accepted = base64.b64encode(hashlib.sha1(key + ACCEPTS, usedforsecurity=False).digest()).decode()
        if response.status_code != 101 or response.headers.get("sec-websocket-accept") != accepted:
            response.close()
            raise HoldfastError(f"GET {path}: the server does not open a WebSocket")
        return Socket(response)

    def receive(self) -> List[Union[bytes, str]]:
        """Waits for something to arrive, and gives the messages that it completes. Pieces of a binary message come as they are."""
        if self._closed:
            raise SocketBroken
        try:
            piece = self._stream.read(READ_BYTES, timeout=requests.QUIET_SECONDS)
        except (httpcore.NetworkError, httpcore.TimeoutException, OSError) as failure:
            raise SocketBroken from failure
        if not piece:
            raise SocketBroken
        self._protocol.receive_data(piece)
        messages: List[Union[bytes, str]] = []
        for event in self._protocol.events():
            if isinstance(event, BytesMessage):
                messages.append(bytes(event.data))
            elif isinstance(event, TextMessage):
                self._add_text(event, messages)
            elif isinstance(event, Ping):
                self._pongs.append(event.response())
            elif isinstance(event, CloseConnection):
                self._closed = True
        # A reader that waited for a writer could make both wait for each other: the process for its output to be read, the writer for it.
        if self._pongs and not self._closed and take_now(self._turn):
            try:
                self._send_pongs()
            finally:
                self._turn.release()
        return messages

    def send(self, message: Union[bytes, str]) -> None:
        """Sends a message. Several writers take turns."""
        event = BytesMessage(data=message) if isinstance(message, bytes) else TextMessage(data=message)
        with self._turn:
            self._write(event)
            self._send_pongs()

    def close(self) -> None:
        """Closes the connection."""
        self._closed = True
        hang_up(self._response)

    def _add_text(self, event: TextMessage, messages: List[Union[bytes, str]]) -> None:
        self._text.append(event.data)
        if sum(len(piece) for piece in self._text) > TEXT_CHARACTERS:
            raise HoldfastError("the server sent a message that is too long")
        if event.message_finished:
            messages.append("".join(self._text))
            self._text.clear()

    def _send_pongs(self) -> None:
        while self._pongs:
            self._write(self._pongs.pop(0))

    def _write(self, event: Event) -> None:
        if self._closed:
            raise SocketBroken
        try:
            self._stream.write(self._protocol.send(event), timeout=requests.QUIET_SECONDS)
        except (httpcore.NetworkError, httpcore.TimeoutException, OSError) as failure:
            raise SocketBroken from failure
        except BaseException:
            # A part of the message is on its way, and nothing can follow it.
            self.close()
            raise
