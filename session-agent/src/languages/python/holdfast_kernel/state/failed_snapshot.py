"""Answers a request for a snapshot that cannot be taken with an archive that says why. Loaded before any step, which may replace what this needs."""

from os import O_WRONLY, write
from os import open as open_file
from sys import version

from . import forked
from .archive import ArchiveWriter
from .short_texts import characters_max, first_reasons, message_of, shortened

interpreter = 'Python ' + version.split()[0]


def failed_snapshot(path, bindings, error):
    """Forks a child that writes the archive, and returns at once."""
    pid = forked.fork()
    if pid:
        forked.add(pid)
        return
    try:
        write_failed(path, bindings, error)
    finally:
        forked.end_process(0)


def write_failed(path, bindings, error):
    out = open_file(path, O_WRONLY)
    ArchiveWriter(lambda data: write_all(out, data), 0).finish(manifest_of_failed(bindings, cause_of(error)))


def cause_of(error):
    return '%s: %s' % (type(error).__name__, message_of(error))


def manifest_of_failed(bindings, cause):
    reason = shortened('the snapshot failed: %s' % cause, characters_max)
    not_saved = first_reasons([{'name': shortened(name, characters_max), 'reason': reason} for name, _ in bindings])
    return {'format': 1, 'language': 'python', 'interpreter': interpreter, 'saved': [], 'notSaved': not_saved}


def write_all(fd, data):
    view = memoryview(data)
    while view:
        view = view[write(fd, view) :]
