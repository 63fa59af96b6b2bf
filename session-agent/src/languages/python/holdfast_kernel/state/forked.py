"""The kernel's own forked children. The user's code does not know them."""

import os

_pids = set()


def add(pid):
    _pids.add(pid)


def reap():
    """Waits for those that have ended, so that none stays a zombie."""
    for pid in list(_pids):
        try:
            ended, _ = os.waitpid(pid, os.WNOHANG)
        except ChildProcessError:
            ended = pid
        if ended:
            _pids.discard(pid)


def are_left():
    return bool(_pids)


def is_ours(pid):
    return int(pid) in _pids
