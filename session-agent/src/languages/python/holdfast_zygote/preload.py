"""Loads libraries once for all kernels, and detects when a kernel started by itself would find other ones."""

import _thread
import gc
import os
import site
import sys

from .interned import renew_interned_table

_lowest_priority = 19


class Preloaded:
    """The loaded libraries. `names` has those that were asked for and could be loaded."""

    def __init__(self, names, modules, places):
        self.names = names
        self._modules = modules
        self._places = places

    def is_stale(self):
        """Whether packages have been installed or removed since."""
        return self._places != _places()

    def is_shadowed(self):
        """Whether the working directory holds a module with the name of a loaded one. A kernel started there would import that one."""
        return any(_is_module(entry, self._modules) for entry in os.listdir('.'))


def preload(names):
    """Imports the libraries at low priority and exempts their objects from garbage collection, so that their memory stays shared."""
    before = frozenset(sys.modules)
    loaded = []
    if names:
        done = _thread.allocate_lock()
        done.acquire()
        # In a thread, which has a priority of its own: an ordinary user cannot raise a lowered priority, and kernels need the usual one.
        _thread.start_new_thread(_load, (names, loaded, done))
        done.acquire()
    gc.collect()
    gc.freeze()
    modules = {name.partition('.')[0] for name in frozenset(sys.modules) - before}
    return Preloaded(loaded, modules, _places())


def _load(names, loaded, done):
    try:
        os.setpriority(os.PRIO_PROCESS, _thread.get_native_id(), _lowest_priority)
        for name in names:
            try:
                __import__(name)
                loaded.append(name)
            except BaseException:
                # The library is missing or broken. A step that imports it gets the error.
                pass
        renew_interned_table()
    finally:
        done.release()


def _places():
    """The folders that packages come from, each with its state. Installing or removing a package changes the time of its folder."""
    folders = [path for path in sys.path if path] + site.getsitepackages() + [site.getusersitepackages()]
    return [(folder, _state(folder)) for folder in dict.fromkeys(folders)]


def _state(folder):
    try:
        status = os.stat(folder)
    except OSError:
        return None
    return status.st_dev, status.st_ino, status.st_mtime_ns


def _is_module(entry, names):
    name, dot, ending = entry.partition('.')
    if name not in names:
        return False
    if dot:
        return ending in ('py', 'pyc') or ending.endswith('so')
    return os.path.isfile(os.path.join(entry, '__init__.py'))
