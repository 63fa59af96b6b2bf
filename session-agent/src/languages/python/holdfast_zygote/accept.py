"""A kernel's two channels, as connections that the agent makes to the zygote: an agent can hand over no descriptors."""

import os
import socket
import struct

_wait_seconds = 1.0
_credentials = struct.Struct('iII')
_header_bytes = 5


def listen():
    """A listening socket and its name in the abstract namespace, which leaves no file, and which nobody can take while we live."""
    listener = socket.socket(socket.AF_UNIX)
    name = 'holdfast-' + os.urandom(16).hex()
    listener.bind('\0' + name)
    listener.listen(16)
    listener.settimeout(_wait_seconds)
    return listener, name


def accept_channels(listener, request_id):
    """The connections for fds 3 and 4, in this order. Each begins with four bytes of the request's id (big-endian) and one of its fd.

    Only the agent is heard: the kernel tells who connects (SO_PEERCRED, unix(7)). Raises OSError where they do not come in time.
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
