"""Finds out which names share objects that code can change, and which classes of steps their values use."""

import enum
import types
import weakref

from .cells import is_full
from .groups import Groups
from .immutable import is_atom
from .looking import bases_of, has_kind, is_a, module_of, name_of, parts_of, vars_of

objects_max = 2_000_000


class Sharing:
    """`together` joins the names whose values share an object that can change. `users` has, for each name of a class, the names that use it."""

    def __init__(self, main):
        self._main = main
        self._class_names = {id(value): name for name, value in main.items() if is_a(value, type)}
        self._owners = {}
        self._alive = []
        self.together = Groups()
        self.users = {}

    def add(self, name, value):
        self.together.add(name)
        seen, queue = set(), [value]
        while queue:
            thing = queue.pop()
            if id(thing) in seen:
                continue
            if is_atom(thing):
                if is_a(thing, enum.Enum) and id(type(thing)) in self._class_names:
                    self.users.setdefault(self._class_names[id(type(thing))], set()).add(name)
                continue
            seen.add(id(thing))
            # While they live, no other object gets the id of one of them.
            self._alive.append(thing)
            if is_a(thing, type) and id(thing) in self._class_names:
                self.users.setdefault(self._class_names[id(thing)], set()).add(name)
            elif not has_kind(thing, (tuple, frozenset)) and (type(thing) is not types.FunctionType or thing.__dict__):
                self._own(_memory_of(thing), name)
            if len(seen) > objects_max:
                raise ValueError('it has too many parts')
            queue += self._parts(thing)

    def holds(self, value, part):
        """Whether a value is another one, or has it as a part."""
        seen, queue = set(), [value]
        while queue:
            thing = queue.pop()
            if thing is part:
                return True
            if id(thing) in seen or is_atom(thing):
                continue
            seen.add(id(thing))
            # While they live, no other object gets the id of one of them.
            self._alive.append(thing)
            queue += self._parts(thing)
        return False

    def _own(self, thing, name):
        owner = self._owners.setdefault(id(thing), name)
        self._alive.append(thing)
        if owner != name:
            self.together.join(owner, name)

    def _parts(self, thing):
        if is_a(thing, types.FunctionType):
            cells = [cell for cell in thing.__closure__ or () if is_full(cell)]
            return [*cells, *(thing.__defaults__ or ()), *(thing.__kwdefaults__ or {}).values(), *thing.__dict__.values()]
        if is_a(thing, type):
            return [*(part for key, part in vars_of(thing).items() if not key.startswith('__')), *bases_of(thing), type(thing)]
        if has_kind(thing, (staticmethod, classmethod)):
            return [thing.__func__]
        if type(thing) is property:
            return [thing.fget, thing.fset, thing.fdel]
        if is_a(thing, weakref.ref):
            return [weakref.ref.__call__(thing)]
        return [type(thing), *(part for part in parts_of(thing) if part is not self._main)]


def _memory_of(thing):
    """Arrays that show parts of the same array share its memory."""
    while _is_array(thing) and _is_array(thing.base):
        thing = thing.base
    return thing


def _is_array(thing):
    return name_of(type(thing)) == 'ndarray' and module_of(type(thing)) == 'numpy'
