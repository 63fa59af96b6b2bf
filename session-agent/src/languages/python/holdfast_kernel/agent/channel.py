"""Messages with the agent on fd 3: four bytes of length (big-endian), then JSON."""

import _thread
import json
import os
import select
from json.encoder import encode_basestring

from . import interrupt

fd = 3
message_bytes_max = 16 * 1024 * 1024
read_bytes_max = 65536

_pid = os.getpid()
_sending = _thread.allocate_lock()
_sender = None
_outgoing = bytearray()
_receiving = _thread.allocate_lock()
_received = bytearray()
# Encodes a text as JSON.
encode_text = encode_basestring
# Does not look for blanks around the JSON, which the agent does not send.
_decode = json.JSONDecoder().scan_once
_encode = json.JSONEncoder(ensure_ascii=False, separators=(',', ':'), allow_nan=False).encode
# The kernel waits before it reads. The main thread alone uses this.
_arrival = select.poll()
_arrival.register(fd, select.POLLIN)

interrupt.protect(__file__)


def claim():
    """Makes this process the kernel. Before, the kernel is the process that loaded this module."""
    global _pid
    _pid = os.getpid()


def is_kernel():
    """Whether this process is the kernel and not a child that was forked from it."""
    return os.getpid() == _pid


def send(*messages):
    """Writes the messages in one piece. Sends nothing from a forked child, which is not the kernel."""
    if os.getpid() == _pid:
        send_encoded(b''.join(map(encoded, messages)))


def send_encoded(data):
    _outgoing.extend(data)
    # A signal handler may interrupt a thread in the middle of sending. It only queues its messages, and the interrupted call sends them.
    while _outgoing and _sender != _thread.get_ident():
        _drain()


def encoded(message):
    """Returns a message as it is sent. A message that is bytes is JSON already."""
    body = message if type(message) is bytes else json_of(message)
    return len(body).to_bytes(4, 'big') + body


def json_of(value):
    """Returns a value as JSON, with question marks for characters that UTF-8 cannot hold. Raises ValueError if JSON cannot hold it."""
    return _encode(value).encode('utf-8', 'replace')


def receive():
    """Returns the next message, or None when the agent is gone."""
    with _receiving:
        while True:
            message = _next() if _received else None
            if message is not None:
                return message
            # Waits before it reads: an interrupt that comes while bytes are unread is meant for the step that they bring.
            _arrival.poll()
            interrupt.expect()
            if not _read():
                return None


def receive_while(is_wanted):
    """Returns the next message, or None once `is_wanted()` is false. Any thread may wait for it, in the middle of a step."""
    # Polls, because a thread cannot be woken when the step ends.
    while is_wanted():
        if not _receiving.acquire(timeout=0.05):
            continue
        try:
            message = _next()
            if message is not None:
                return message
            if _is_readable(0.05) and is_wanted() and not _read():
                return None
        finally:
            _receiving.release()
    return None


def has_received():
    """Whether the beginning of a message has been read already."""
    return bool(_received)


def _drain():
    global _sender
    with _sending:
        _sender = _thread.get_ident()
        try:
            while _outgoing:
                # C code writes and removes what is written in one call. Between two calls, a signal handler of the user's could raise, and
                # the agent would get the same bytes again.
                any(map(_outgoing.__delitem__, map(slice, map(os.write, (fd,), (bytes(_outgoing),)))))
        finally:
            _sender = None


def _next():
    if len(_received) < 4:
        return None
    end = 4 + int.from_bytes(_received[:4], 'big')
    if len(_received) < end:
        return None
    message, _ = _decode(_received[4:end].decode(), 0)
    del _received[:end]
    return message


def _read():
    """Reads what there is, and returns whether anything came.

    C code reads and stores it in one call. Between two calls, a signal handler of the user's could raise, and what was read would be lost.
    """
    before = len(_received)
    any(map(_received.extend, map(os.read, (fd,), (read_bytes_max,))))
    return len(_received) > before


@interrupt.interruptible
def _is_readable(seconds):
    return bool(select.select([fd], [], [], seconds)[0])
