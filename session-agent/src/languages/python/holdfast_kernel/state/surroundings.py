"""Saves the surroundings of the names: the working directory, the import path, environment variables and random numbers."""

import os
import sys


class Surroundings:
    """Remembers how they were before the first step."""

    def __init__(self):
        self._path = list(sys.path)
        self._environment = dict(os.environ)
        self._directory = _directory()

    def changed(self):
        """The changes that steps have made, as JSON."""
        environment = dict(os.environ)
        before = self._environment
        return {
            'directory': self._changed_directory(),
            'path': [entry for entry in sys.path if entry not in self._path and isinstance(entry, str)],
            'set': {name: value for name, value in environment.items() if before.get(name) != value},
            'unset': [name for name in before if name not in environment],
        }

    def _changed_directory(self):
        """None if it is the first one. A folder in that one is relative to it: another sandbox can have the workspace in another place."""
        directory, first = _directory(), self._directory
        if directory is None or directory == first:
            return None
        is_within = first is not None and directory.startswith(first + os.sep)
        return os.path.relpath(directory, first) if is_within else directory

    @staticmethod
    def restore(changed):
        if changed['directory'] is not None and os.path.isdir(changed['directory']):
            os.chdir(changed['directory'])
        sys.path.extend(entry for entry in changed['path'] if entry not in sys.path)
        os.environ.update(changed['set'])
        for name in changed['unset']:
            os.environ.pop(name, None)


def _directory():
    try:
        return os.getcwd()
    except OSError:
        return None


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
