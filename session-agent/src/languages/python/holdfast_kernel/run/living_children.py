"""Finds out whether processes live that may still write to the streams: children of a step, and orphans that the kernel has adopted."""

import os

from ..state import forked


def has_living_children():
    forked.reap()
    try:
        ended = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return False
    # If a child that has ended has not been waited for, this call reports it and says nothing about the others.
    if ended is None and not forked.are_left():
        return True
    return any(_is_living(pid) and not forked.is_ours(pid) for pid in _children())


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
