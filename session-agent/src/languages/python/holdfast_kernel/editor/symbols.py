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
_hidden = frozenset((*_of_modules, *_of_python, '_exit_code', '_dh'))


class Symbols:
    def __init__(self, namespace, history):
        self._namespace = namespace
        self._history = history
        self._identities = {}
        self._step_ids = {}

    def note(self, step_id):
        """Records which names were bound since the last call. Holds identities and not references, so that deleted values are freed."""
        identities = self._identities_now()
        if identities is None:
            return
        before = map(self._identities.get, identities)
        for name in compress(identities, map(ne, identities.values(), before)):
            self._step_ids[name] = step_id
        self._identities = identities

    def describe(self):
        described = []
        characters = 0
        for name, value in self._bindings() or ():
            if name in _hidden or not _is_short(name) or self._history.owns(name, value):
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
        return [(name, value) for name, value in bindings if name not in _hidden and not self._history.owns(name, value)]

    def _identities_now(self):
        """Returns the identity of each name's value, or None if threads change the names all the time."""
        namespace = self._namespace
        try:
            # Every step comes by, so no Python code runs for each name, unless there are others than strings: `globals()[1] = 2`.
            if all(map(is_, map(type, namespace), repeat(str))):
                return dict(zip(namespace, map(id, namespace.values())))
        except RuntimeError:
            pass
        bindings = self._bindings()
        return None if bindings is None else {name: id(value) for name, value in bindings}

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
