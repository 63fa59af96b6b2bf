"""Reads from the code of modules which of their variables and attributes it may bind."""

import functools
import opcode
import types

from ..cells import is_full
from ..immutable import is_immutable
from ..looking import is_a, module_of, vars_of

_binding = frozenset(opcode.opmap[name] for name in ('STORE_GLOBAL', 'DELETE_GLOBAL', 'STORE_ATTR', 'DELETE_ATTR'))
_of_variables = frozenset(opcode.opmap[name] for name in ('STORE_DEREF', 'DELETE_DEREF'))
_extended = opcode.opmap['EXTENDED_ARG']
# With these, code can bind any name.
_any = frozenset(('globals', 'setattr', 'delattr', 'vars', '__dict__', 'exec', 'eval'))


class StoredNames:
    def __init__(self, modules):
        self._names = set()
        for module in modules:
            for function in _functions_in(module):
                self._note(function.__code__)

    def has(self, name):
        return name in self._names or not _any.isdisjoint(self._names)

    def _note(self, code):
        for nested in _nested(code):
            self._names.update(nested.co_names[place] for place in _arguments(nested, _binding))
            self._names.update(_any.intersection(nested.co_names))

    @staticmethod
    def changes_variables_around(function):
        """Whether a function has a variable of a function around it that it, or a function in it, may change."""
        cells = dict(zip(function.__code__.co_freevars, function.__closure__ or ()))
        if not cells:
            return False
        contents = [cell.cell_contents for cell in cells.values() if is_full(cell)]
        stores = any(next(_arguments(code, _of_variables), None) is not None for code in _nested(function.__code__) if code.co_freevars)
        return stores or not all(is_immutable(content) or is_a(content, (types.FunctionType, type)) or callable(content) for content in contents)


def _functions_in(module):
    """Also those of its classes, and those that decorators have wrapped."""
    seen, queue = set(), list(vars(module).values())
    while queue:
        part = queue.pop()
        if id(part) in seen:
            continue
        seen.add(id(part))
        if type(part) is types.FunctionType:
            yield part
            queue += [cell.cell_contents for cell in part.__closure__ or () if is_full(cell)]
        elif is_a(part, type) and module_of(part) == module.__name__:
            queue += vars_of(part).values()
        elif type(part) is property:
            queue += [part.fget, part.fset, part.fdel]
        elif type(part) in (staticmethod, classmethod, functools._lru_cache_wrapper):
            queue.append(part.__wrapped__ if type(part) is functools._lru_cache_wrapper else part.__func__)


def _nested(code):
    found = [code]
    for one in found:
        found += [constant for constant in one.co_consts if type(constant) is types.CodeType]
    return found


def _arguments(code, wanted):
    """The arguments of the instructions that are wanted."""
    extended, data = 0, code.co_code
    for at in range(0, len(data), 2):
        argument = extended << 8 | data[at + 1]
        extended = argument if data[at] == _extended else 0
        if data[at] in wanted:
            yield argument
