"""Saves the surroundings of the names: the working directory, the import path, environment variables, the interpreter's own settings and
random numbers.
"""

import contextlib
import importlib
import os
import sys
import time

# Steps may replace the built-in one.
_open = open


class Surroundings:
    """Remembers how they were before the first step."""

    def __init__(self):
        self._path = list(sys.path)
        self._environment = dict(os.environ)
        self._directory = _directory()
        self._umask = _umask()
        self._recursion_limit = sys.getrecursionlimit()

    def changed(self):
        """The changes that steps have made, as JSON."""
        environment = dict(os.environ)
        before = self._environment
        return {
            'directory': self._changed_directory(),
            'searchPath': self._changed_path(),
            'umask': _differing(_umask(), self._umask),
            'recursionLimit': _differing(sys.getrecursionlimit(), self._recursion_limit),
            'set': {name: value for name, value in environment.items() if before.get(name) != value},
            'unset': [name for name in before if name not in environment],
        }

    @contextlib.contextmanager
    def first_search_path(self):
        """Imports in the block find neither modules of the working directory nor those of folders that steps have added."""
        now, sys.path = sys.path, [entry for entry in self._path if entry]
        try:
            yield
        finally:
            sys.path = now

    def _changed_directory(self):
        """None if it is the first one. A folder in that one is relative to it: another sandbox can have the workspace in another place."""
        directory, first = _directory(), self._directory
        if directory is None or directory == first:
            return None
        is_within = first is not None and directory.startswith(first + os.sep)
        return os.path.relpath(directory, first) if is_within else directory

    def _changed_path(self):
        """None if it is the first one. An entry of the first one is a number, because it can be another folder in another sandbox."""
        if sys.path == self._path:
            return None
        entries = [entry for entry in sys.path if isinstance(entry, str)]
        return [self._path.index(entry) if entry in self._path else entry for entry in entries]

    @staticmethod
    def restore(changed):
        """Returns the reasons by the names of what cannot be restored."""
        lost = {}
        if changed['directory'] is not None:
            try:
                _enter(changed['directory'])
            except OSError as error:
                lost['(working directory)'] = '%s cannot be entered: %s' % (changed['directory'], error.strerror)
        path = changed.get('searchPath')
        if path is not None:
            first = list(sys.path)
            sys.path[:] = [first[entry] if isinstance(entry, int) else entry for entry in path if isinstance(entry, str) or entry < len(first)]
        if changed.get('umask') is not None:
            os.umask(changed['umask'])
        if changed.get('recursionLimit') is not None:
            sys.setrecursionlimit(changed['recursionLimit'])
        os.environ.update(changed['set'])
        for name in changed['unset']:
            os.environ.pop(name, None)
        if 'TZ' in changed['set'] or 'TZ' in changed['unset']:
            time.tzset()
        return lost


def _enter(directory):
    # An empty folder of the workspace is not among its saved files.
    if not os.path.isabs(directory):
        os.makedirs(directory, exist_ok=True)
    os.chdir(directory)


def _differing(value, first):
    return None if value == first else value


def _umask():
    """Read without setting it meanwhile, which other threads would notice; None if this machine does not show it."""
    try:
        with _open('/proc/self/status') as status:
            return next((int(line.split()[1], 8) for line in status if line.startswith('Umask:')), None)
    except OSError:
        return None


def _directory():
    try:
        return os.getcwd()
    except OSError:
        return None


# The modules of objects that are there only once these are loaded, and how to find the objects.
_of_modules = {
    'argparse.SUPPRESS': ('argparse', lambda module: getattr(module, 'SUPPRESS', None)),
    'decimal': ('decimal', lambda module: getattr(module, 'getcontext', lambda: None)()),
    'math.nan': ('math', lambda module: getattr(module, 'nan', None)),
    'numpy.nan': ('numpy', lambda module: getattr(module, 'nan', None)),
    'random': ('random', lambda module: getattr(module, '_inst', None)),
    'numpy.random': ('numpy.random', lambda module: getattr(getattr(module, 'mtrand', None), '_rand', None)),
}


def shared_objects():
    """The objects of modules that code knows by their identity, such as `os.environ`, by name. A name of the context gets the same one back."""
    found = {'os.environ': os.environ, 'sys.path': sys.path}
    found.update((name, find(sys.modules[module])) for name, (module, find) in _of_modules.items() if module in sys.modules)
    return {name: value for name, value in found.items() if value is not None}


def shared_object(name):
    """Raises KeyError if there is none of this name."""
    if name in _of_modules:
        importlib.import_module(_of_modules[name][0])
    return shared_objects()[name]


def random_states():
    """The states of the generators that are loaded. A fork gives `random` another one, so call this before."""
    states = {}
    if 'random' in sys.modules:
        states['random'] = sys.modules['random'].getstate()
    if 'numpy.random' in sys.modules:
        states['numpy.random'] = sys.modules['numpy.random'].get_state()
    return states


def pickled_states(states):
    # Not at the top: a kernel that is never saved does not load it.
    import pickle

    return pickle.dumps(states, protocol=5)


def restore_random_states(data):
    import pickle

    states = pickle.loads(data)
    if 'random' in states:
        import random

        random.setstate(states['random'])
    if 'numpy.random' in states:
        import numpy

        numpy.random.set_state(states['numpy.random'])
