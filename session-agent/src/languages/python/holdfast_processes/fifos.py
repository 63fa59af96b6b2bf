"""The streams of processes are FIFOs, because `/dev/stdout` cannot be opened on the socket pairs that Node makes for pipes."""

import os


def make_fifos(folder, names):
    """Returns the new folder that has them. The agent opens its ends by name before it asks for the start."""
    own = os.path.join(folder, f'holdfast-process-{os.urandom(8).hex()}')
    os.mkdir(own, 0o700)
    for name in names:
        os.mkfifo(os.path.join(own, name), 0o600)
    return own


def open_streams(message):
    """The descriptors for 0, 1 and 2, by number. The names are no longer needed then. A terminal is opened later, by its own session."""
    streams = {}
    folder, names = message['folder'], message['names']
    try:
        for name in names:
            path = os.path.join(folder, name)
            streams[int(name)] = os.open(path, os.O_RDONLY if name == '0' else os.O_WRONLY)
            os.unlink(path)
        if folder is not None:
            os.rmdir(folder)
    except OSError:
        for descriptor in streams.values():
            os.close(descriptor)
        raise
    return streams
