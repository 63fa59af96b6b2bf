"""The archive of a snapshot: records, then a manifest (specs/src/public/state.ts). A record is a letter, a header in JSON and bytes."""

import json
import struct

end = b'hfsnap1\n'
manifest_digits = 10
_head = struct.Struct('>cIQ')
# Not `json.dumps`, which steps may have replaced.
_encode = json.JSONEncoder().encode


class BrokenArchive(Exception):
    pass


class ArchiveWriter:
    """Writes to a file descriptor, at most `bytes_max` before the manifest."""

    def __init__(self, write, bytes_max):
        self._write = write
        self._room = bytes_max

    def fits(self, size):
        return size + _head.size + 4096 <= self._room

    def record(self, letter, header, *parts):
        """Writes a record. `parts` are bytes-like objects, whose lengths the header tells."""
        encoded = _encode(header).encode()
        views = [memoryview(part).cast('B') for part in parts]
        size = sum(view.nbytes for view in views)
        self._room -= _head.size + len(encoded) + size
        self._write(_head.pack(letter, len(encoded), size) + encoded)
        for view in views:
            self._write(view)

    def finish(self, manifest):
        encoded = _encode(manifest).encode()
        self._write(encoded + b'%010d' % len(encoded) + end)


def read_archive(data):
    """Returns the manifest and an iterator of (letter, header, view of the bytes). Raises BrokenArchive."""
    footer = len(end) + manifest_digits
    digits = bytes(data[-footer : -len(end)])
    if bytes(data[-len(end) :]) != end or not digits.isdigit():
        raise BrokenArchive('its end is missing')
    stop = len(data) - footer - int(digits)
    if stop < 0:
        raise BrokenArchive('its manifest is too long')
    try:
        manifest = json.loads(bytes(data[stop : len(data) - footer]))
    except ValueError:
        raise BrokenArchive('its manifest is not JSON') from None
    return manifest, _records(memoryview(data)[:stop])


def _records(view):
    at = 0
    while at < len(view):
        if at + _head.size > len(view):
            raise BrokenArchive('a record is cut off')
        letter, header_size, size = _head.unpack_from(view, at)
        start = at + _head.size + header_size
        at = start + size
        if at > len(view):
            raise BrokenArchive('a record is cut off')
        try:
            header = json.loads(bytes(view[start - header_size : start]))
        except ValueError:
            raise BrokenArchive('a record has no header') from None
        yield letter, header, view[start:at]
