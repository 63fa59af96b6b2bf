"""Finds out whether processes live that may still write to the streams: children of a step, and orphans that the kernel has adopted."""

import os

from ..state import forked
from ..streams import late_output
from ..streams.descriptors import KeptFile

_list_fd = -1
_list = None


def watch_children():
    """Call once in the process that is the kernel, in its main thread."""
    global _list_fd, _list
    try:
        _list_fd = os.open('/proc/thread-self/children', os.O_RDONLY)
    except OSError:
        # Linux can be built without this list.
        return
    _list = KeptFile(_list_fd)


def has_living_children():
    if _certainly_has_none():
        return False
    forked.reap()
    try:
        ended = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return False
    # If a child that has ended has not been waited for, this call reports it and says nothing about the others.
    if ended is None and not forked.are_left():
        return True
    return any(_is_living(pid) and not forked.is_ours(pid) for pid in _children())


def _certainly_has_none():
    """Whether no child is left, ended or not. Most steps need no more than this: an exception of `waitid` takes longer."""
    # Each thread has a list of its own. The code may have put another file in the descriptor's place.
    if _list is None or late_output.has_threads() or not _list.is_open():
        return False
    try:
        return not os.pread(_list_fd, 1, 0)
    except OSError:
        return False


def _children():
    for thread in os.listdir('/proc/self/task'):
        try:
            with open('/proc/self/task/%s/children' % thread) as children:
                yield from children.read().split()
        except OSError:
            pass


def _is_living(pid):
    try:
        with open('/proc/%s/stat' % pid, 'rb') as stat:
            return stat.read().rpartition(b')')[2].split()[0] not in (b'Z', b'X')
    except OSError:
        return False
