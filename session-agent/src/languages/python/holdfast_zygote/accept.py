"""Accepts a kernel's two channels as connections from the agent, since Node cannot pass descriptors over a socket."""

import os
import socket
import struct

_wait_seconds = 1.0
_credentials = struct.Struct('iII')
_header_bytes = 5


def listen():
    """Returns a listening socket and its name in the abstract namespace: it leaves no file, and no other process can bind it meanwhile."""
    listener = socket.socket(socket.AF_UNIX)
    name = 'holdfast-' + os.urandom(16).hex()
    listener.bind('\0' + name)
    listener.listen(16)
    listener.settimeout(_wait_seconds)
    return listener, name


def accept_channels(listener, request_id):
    """Returns the connections for fds 3 and 4. Each begins with four bytes of the request's id (big-endian) and one of its fd.

    Accepts connections of the agent alone, by the peer's credentials (SO_PEERCRED, unix(7)). Raises OSError if they do not come in time.
    """
    found = {}
    while len(found) < 2:
        channel, _ = listener.accept()
        header = _header(channel)
        if header[:4] == request_id.to_bytes(4, 'big') and header[4] in (3, 4):
            found[header[4]] = channel
        else:
            channel.close()
    return found[3], found[4]


def _header(channel):
    pid, _, _ = _credentials.unpack(channel.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _credentials.size))
    if pid != os.getppid():
        return bytes(_header_bytes)
    channel.settimeout(_wait_seconds)
    header = channel.recv(_header_bytes, socket.MSG_WAITALL)
    channel.settimeout(None)
    return header.ljust(_header_bytes, b'\0')
