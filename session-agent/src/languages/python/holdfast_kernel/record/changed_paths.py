"""Records the paths below the current directory that a program and its children may have changed, in a file that the agent reads.

The file has the paths, relative and each ended by NUL; one that ends with `/` stands for everything in that directory, and an empty one says that there
are others that are not known. A path is in the file before its call is made, so a scan that sees the change can look up who made it.
"""

import errno
import fcntl
import os
import select
import stat
import struct

from holdfast_kernel.record.filter import told_calls

# struct seccomp_notif and struct seccomp_notif_resp (linux/seccomp.h)
_told = struct.Struct('QIIiIQ6Q')
_answer = struct.Struct('QqiI')
_receive, _send = 0xC0502100, 0xC0182101
_go_on = 1

_path_bytes_max = 4096
_current_directory = -100
_links_max = 40
_paths_max = 10_000
_bytes_max = 4 * 1024 * 1024


class ChangedPaths:
    def __init__(self, listener, log):
        """`listener`: what `tell_of_changes` returned, or None. `log`: the file."""
        self.listener = listener
        self._log = log
        self._root = os.fsencode(os.getcwd()) + b'/'
        self._view = _view_of(os.getpid())
        self._calls = told_calls() if listener is not None else {}
        self._told = select.poll()
        if listener is not None:
            self._told.register(listener, select.POLLIN)
        self._known = set()
        self._bytes = 0
        self._directories = {}
        if listener is None:
            self._write(b'')

    def record_next(self):
        """Records what one call changes and lets it go on. Returns whether others may follow."""
        events = dict(self._told.poll(0)).get(self.listener, 0)
        if not events & select.POLLIN:
            # Up to Linux 6.10, receiving would wait forever if no process is left that has the filter.
            return not events & select.POLLHUP
        told = bytearray(_told.size)
        try:
            fcntl.ioctl(self.listener, _receive, told)
        except OSError:
            # The caller has been killed meanwhile.
            return True
        number, pid, _, call, _, _, *arguments = _told.unpack(told)
        try:
            self._record(pid, call, arguments)
        except (OSError, ValueError):
            # A call whose path cannot be read fails, or comes from a process that does not let itself be read. A path may have too many links.
            self._write(b'')
        try:
            fcntl.ioctl(self.listener, _send, _answer.pack(number, 0, 0, _go_on))
        except OSError:
            pass
        return True

    def _record(self, pid, call, arguments):
        if _view_of(pid) != self._view:
            # Its paths are not those of this process.
            self._write(b'')
        places, follows = self._calls[call]
        paths = [self._path(pid, arguments, *place, follows) for place in places]
        for path in paths:
            if path.startswith(self._root):
                self._write(path[len(self._root) :])
        if not follows:
            # Directories and links may get other places.
            self._directories.clear()
            if len(paths) == 2 and any(map(_is_directory, paths)):
                for path in paths:
                    if path.startswith(self._root):
                        self._write(path[len(self._root) :] + b'/')

    def _path(self, pid, arguments, directory_at, path_at, follows):
        address = arguments[path_at] if path_at is not None else 0
        path = _read_text(pid, address) if address else b''
        if path.startswith(b'/'):
            return self._resolved(pid, path, follows)
        directory = _signed(arguments[directory_at]) if directory_at is not None else _current_directory
        place = 'cwd' if directory == _current_directory else 'fd/%d' % directory
        base = os.readlink(b'/proc/%d/%s' % (pid, place.encode()))
        return self._resolved(pid, base + b'/' + path, follows) if path else base

    def _resolved(self, pid, path, follows):
        parent, name = os.path.split(path.rstrip(b'/'))
        if name in (b'', b'.', b'..'):
            return _real(pid, path)[0]
        real = self._directories.get(parent)
        if real is None:
            real, is_lasting = _real(pid, parent)
            if len(self._directories) > _paths_max:
                self._directories.clear()
            if is_lasting:
                self._directories[parent] = real
        whole = os.path.join(real, name)
        return _real(pid, whole)[0] if follows and os.path.islink(whole) else whole

    def _write(self, path):
        if len(self._known) > _paths_max or self._bytes > _bytes_max:
            path = b''
        if path in self._known:
            return
        self._known.add(path)
        self._bytes += len(path)
        line = path + b'\0'
        try:
            is_written = os.write(self._log, line) == len(line)
        except OSError:
            is_written = False
        if not is_written:
            self._note_loss()

    def _note_loss(self):
        """Ends a path that was written in part, and adds an empty one. Zeros take no room on a full disk."""
        try:
            os.ftruncate(self._log, os.fstat(self._log).st_size + 2)
        except OSError:
            pass


def _signed(argument):
    return struct.unpack('i', struct.pack('I', argument & 0xFFFFFFFF))[0]


def _view_of(pid):
    """The root and the mounts of a process: they say what its absolute paths mean."""
    return [os.readlink('/proc/%d/%s' % (pid, name)) for name in ('root', 'ns/mnt')]


def _real(pid, path):
    """As `os.path.realpath`, but for another process, which `/proc/self` and `/dev/fd` stand for.

    Returns with it whether it is the same for all processes until a link is changed.
    """
    real, is_lasting, links = b'/', True, 0
    names = path.split(b'/')[::-1]
    while names:
        name = names.pop()
        if name in (b'', b'.'):
            continue
        if name == b'..':
            real = os.path.dirname(real)
            continue
        if real == b'/proc':
            is_lasting = False
            if name in (b'self', b'thread-self'):
                name = b'%d' % pid
        whole = os.path.join(real, name)
        try:
            target = os.readlink(whole)
        except OSError:
            real = whole
            continue
        links += 1
        if links > _links_max:
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
        if target.startswith(b'/'):
            real = b'/'
        names += target.split(b'/')[::-1]
    return real, is_lasting


def _is_directory(path):
    try:
        return stat.S_ISDIR(os.lstat(path).st_mode)
    except OSError:
        return False


def _read_text(pid, address):
    memory = os.open('/proc/%d/mem' % pid, os.O_RDONLY | os.O_CLOEXEC)
    try:
        text, end, _ = os.pread(memory, _path_bytes_max, address).partition(b'\0')
    finally:
        os.close(memory)
    if not end:
        raise ValueError('the path does not end')
    return text
