"""Messages with the agent on fd 3: four bytes of length (big-endian), then JSON."""

import _thread
import json
import os
import select

from . import interrupt

fd = 3
message_bytes_max = 16 * 1024 * 1024

_pid = os.getpid()
_sending = _thread.allocate_lock()
_received = bytearray()
_encode = json.JSONEncoder(ensure_ascii=False, separators=(',', ':'), allow_nan=False).encode


def send(*messages):
    """Writes the messages in one go. A forked child is not the kernel and sends nothing."""
    if os.getpid() != _pid:
        return
    data = b''.join([encoded(message) for message in messages])
    # Half a message would be the end of the kernel, so an interrupt waits until it is whole.
    with interrupt.deferred, _sending:
        view = memoryview(data)
        while view:
            view = view[os.write(fd, view) :]


def encoded(message):
    """One message as bytes; what UTF-8 cannot hold becomes a question mark. Raises ValueError on what JSON cannot hold."""
    body = _encode(message).encode('utf-8', 'replace')
    return len(body).to_bytes(4, 'big') + body


def receive():
    """The next message, or None when the agent is gone."""
    while True:
        if len(_received) >= 4:
            end = 4 + int.from_bytes(_received[:4], 'big')
            if len(_received) >= end:
                message = json.loads(bytes(_received[4:end]))
                del _received[:end]
                return message
        # Not a mere read: while something lies here unread, an interrupt is known to be for the step that it brings.
        select.select([fd], [], [])
        interrupt.expect()
        chunk = os.read(fd, 65536)
        if not chunk:
            return None
        _received.extend(chunk)


def has_received():
    """Whether the beginning of a message is here already."""
    return bool(_received)
