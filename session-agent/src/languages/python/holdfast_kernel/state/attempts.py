"""Saves in a child, because pickling runs the user's code, which can hang or end its process. The next child leaves out the name at which that happened."""

import mmap
import os
import signal
import struct
import time

from .failed_snapshot import cause_of
from .forked import end_process, fork
from .quiet_child import die_with_parent

_place = struct.Struct('i')
# The length of the text that says why an attempt failed, and the text.
_cause = struct.Struct('i1024s')
# In place of a name: bytes were written that the next attempt could not take back.
_writing = -1
_look_seconds = 0.05
_patience_seconds_min = 0.5


class Attempt:
    """A child tells the process that waits for it how far it is."""

    def __init__(self, memory):
        self._memory = memory
        self._pid = os.getpid()

    def begins(self, place):
        """Says that the name at this place is tried next."""
        self.refuse_fork()
        _place.pack_into(self._memory, 0, place)

    def writes(self):
        """Says that what follows cannot be done again."""
        self.begins(_writing)

    def refuse_fork(self):
        """Ends a process that code of the user has forked and that has come back from there."""
        if os.getpid() != self._pid:
            end_process(0)


def in_attempts(work, deadline):
    """Calls `work(attempt, refused)` in one child after the other, until one has ended by itself after it began to write. `refused` has the reasons by the
    places of the names. A name may take half of the time that is left until `deadline` (time.monotonic). Returns why an attempt has failed itself
    before it began to write.
    """
    # The user's code may ignore the end of its children, and then nothing waits for it.
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGCHLD])
    memory, refused = mmap.mmap(-1, _place.size + _cause.size), {}
    while True:
        place, reason = _attempt(work, memory, refused, deadline)
        if place == _writing:
            return None
        size, text = _cause.unpack_from(memory, _place.size)
        if size or place in refused:
            return text[:size].decode('utf-8', 'replace') if size else reason
        refused[place] = reason


def _attempt(work, memory, refused, deadline):
    """Returns the place at which it ended, and why."""
    _place.pack_into(memory, 0, 0)
    parent = os.getpid()
    pid = fork()
    if not pid:
        try:
            os.setpgid(0, 0)
            die_with_parent(parent)
            work(Attempt(memory), refused)
        except BaseException as error:
            _tell_cause(memory, error)
        finally:
            end_process(0)
    try:
        return _wait(pid, memory, deadline)
    finally:
        _kill_all(pid)


def _tell_cause(memory, error):
    """Says that the attempt itself has failed, and not a value."""
    text = cause_of(error).encode('utf-8', 'replace')[:1000]
    _cause.pack_into(memory, _place.size, len(text), text)


def _wait(pid, memory, deadline):
    place, since = None, 0
    while True:
        signal.sigtimedwait([signal.SIGCHLD], _look_seconds)
        ended, status = os.waitpid(pid, os.WNOHANG)
        (now_at,) = _place.unpack_from(memory)
        if ended:
            return now_at, 'saving it ended its process%s' % (' with signal %d' % os.WTERMSIG(status) if os.WIFSIGNALED(status) else '')
        if now_at != place:
            place, since = now_at, time.monotonic()
            patience = max(_patience_seconds_min, (deadline - since) / 2)
        elif place != _writing and time.monotonic() - since > patience:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            return place, 'saving it took longer than %.1f seconds' % patience


def _kill_all(group):
    """Processes that the user's code has forked would hold the archive open."""
    try:
        os.killpg(group, signal.SIGKILL)
    except OSError:
        pass
