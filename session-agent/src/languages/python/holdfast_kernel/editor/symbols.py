"""The names that steps have defined, and which step bound each of them last."""

from _operator import is_, ne
from itertools import compress, repeat

from .describe_value import kind_of, preview, size_of, type_name

name_units_max = 512
symbols_max = 10_000
# At most six bytes of JSON for each, which leaves room in a message of 16 MiB.
characters_max = 2 * 1024 * 1024
snapshot_tries = 100

_of_modules = ('__name__', '__doc__', '__package__', '__loader__', '__spec__')
_of_python = ('__builtins__', '__builtin__', '__annotations__', '__conditional_annotations__', '__warningregistry__')
# Each kernel has its own ones, and no report lists them.
hidden = frozenset((*_of_modules, *_of_python, '_exit_code', '_dh'))


class Symbols:
    def __init__(self, namespace, history):
        self._namespace = namespace
        self._history = history
        self._names, self._identities = [], []
        self._step_ids = {}

    def note(self, step_id):
        """Records which names were bound since the last call. Holds identities and not references, so that deleted values are freed."""
        namespace, names = self._namespace, self._names
        try:
            identities = list(map(id, namespace.values()))
            # Every step comes by, so no Python code runs for each name unless there are new ones.
            has_same_names = len(names) == len(identities) and all(map(is_, namespace, names))
        except RuntimeError:
            has_same_names = False
        if not has_same_names:
            self._note_names(step_id)
            return
        self._step_ids.update(zip(compress(names, map(ne, identities, self._identities)), repeat(step_id)))
        self._identities = identities

    def describe(self):
        described = []
        characters = 0
        for name, value in self._bindings() or ():
            if name in hidden or not _is_short(name) or self._history.owns(name, value):
                continue
            symbol = self._describe(name, value)
            characters += len(name) + len(symbol['type']) + len(symbol['preview'])
            if characters > characters_max or len(described) == symbols_max:
                break
            described.append(symbol)
        return described

    def defined(self):
        """Returns the names that steps have defined, and their values."""
        bindings = self._bindings() or ()
        return [(name, value) for name, value in bindings if name not in hidden and not self._history.owns(name, value)]

    def _note_names(self, step_id):
        """Does the same if the names are others. Does nothing if threads change them all the time."""
        bindings = self._bindings()
        if bindings is None:
            return
        before = dict(zip(self._names, self._identities))
        self._names = [name for name, _ in bindings]
        self._identities = [id(value) for _, value in bindings]
        for name, identity in zip(self._names, self._identities):
            if before.get(name) != identity:
                self._step_ids[name] = step_id

    def _bindings(self):
        """Returns the names and their values at one moment, or None if threads change them all the time."""
        for _ in range(snapshot_tries):
            try:
                return [(name, value) for name, value in list(self._namespace.items()) if type(name) is str]
            except RuntimeError:
                pass
        return None

    def _describe(self, name, value):
        return {
            'name': name,
            'kind': kind_of(value),
            'type': type_name(value),
            'preview': preview(value),
            'size': size_of(value),
            'stepId': self._step_ids.get(name),
        }


def _is_short(name):
    return len(name) <= name_units_max // 2 or len(name.encode('utf-16-le', 'surrogatepass')) <= 2 * name_units_max
