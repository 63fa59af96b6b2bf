"""The kernel's own forked children. The user's code does not know them."""

import os
import posix
import sys
from _thread import get_ident

# Code may replace these: a child that does not end would go on as a second kernel.
end_process = os._exit
own_pid = os.getpid
_fork = os.fork
_register = os.register_at_fork
_library = (os.__file__.rpartition('/')[0] + '/', '<frozen ')
_pids = set()
# The thread that forks for the kernel.
_forking = None


def fork():
    """Forks without the hooks that code and libraries have registered. They could end the child, and they would act in the context."""
    global _forking
    _forking = get_ident()
    try:
        return _fork()
    finally:
        _forking = None


def forking_thread():
    return _forking


def register_at_fork(**hooks):
    # Those of Python's own library make its locks usable in the child.
    file = sys._getframe(1).f_code.co_filename
    if not file.startswith(_library) or '-packages/' in file:
        hooks = {when: _unless_forking(hook) if callable(hook) else hook for when, hook in hooks.items()}
    return _register(**hooks)


def _unless_forking(hook):
    return lambda: None if _forking == get_ident() else hook()


# It is pickled as the function that it stands for.
register_at_fork.__module__ = 'posix'
register_at_fork.__doc__ = _register.__doc__
register_at_fork.__wrapped__ = _register
os.register_at_fork = posix.register_at_fork = register_at_fork


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
