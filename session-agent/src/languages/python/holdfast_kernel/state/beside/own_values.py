"""Finds the values that the user's own modules keep and may have changed by themselves. A module that is imported again begins with the first ones."""

import enum
import types

from ..immutable import is_immutable
from ..looking import is_a, module_of, mro_of, name_of, vars_of

# Values that share nothing with others, and run none of their code.
harmless_kinds = ('TextIOWrapper', 'BufferedReader', 'BufferedWriter', 'BufferedRandom', 'FileIO', 'lock', 'RLock')
_functions = (types.FunctionType, types.BuiltinFunctionType)
_without_state = (types.ModuleType, property, staticmethod, classmethod, types.GenericAlias)


class OwnValue:
    """The value of a path, such as `helper.state`, which is in the module `module`. `reason` says why it cannot be saved, if that is known."""

    def __init__(self, path, module, value, reason=None):
        self.path, self.module, self.value, self.reason = path, module, value, reason


def own_values(modules, set_by_steps=(), with_constants=False):
    """The values of these modules that may have changed. `set_by_steps` are paths of which that is known. An import may compute constants anew, such
    as `START = time.time()`.
    """
    if not modules:
        return []
    # Most contexts have none.
    from .stored_names import StoredNames

    stored = StoredNames(modules)
    found = (one for module in modules for one in _parts_of(vars(module), name_of_module(module), name_of_module(module), stored))
    return [one for one in found if one.path in set_by_steps or _may_change(one, stored) or (with_constants and _is_constant(one.value))]


def name_of_module(module):
    return vars(module).get('__name__', '')


def _parts_of(parts, path, module, stored):
    for name, part in list(parts.items()):
        if type(name) is not str or (name.startswith('__') and name.endswith('__')) or name == '_abc_impl':
            continue
        inner = '%s.%s' % (path, name)
        if is_a(part, type) and module_of(part) == module and not is_a(part, enum.EnumMeta) and name_of(part) == name:
            yield from _parts_of(vars_of(part), inner, module, stored)
        elif type(part) is types.FunctionType and module_of(part) == module and part.__name__ == name:
            yield from _parts_of_function(part, inner, module, stored)
        elif not is_a(part, _without_state) and not (is_a(parts, types.MappingProxyType) and _is_descriptor(part)):
            yield OwnValue(inner, module, part)


def _parts_of_function(function, path, module, stored):
    yield from _parts_of(vars(function), path, module, stored)
    for name in ('__defaults__', '__kwdefaults__'):
        values = getattr(function, name)
        if values and not all(map(is_immutable, values.values() if name == '__kwdefaults__' else values)):
            yield OwnValue('%s.%s' % (path, name), module, values)
    if stored.changes_variables_around(function):
        yield OwnValue(path, module, [], 'a function keeps values that it may have changed')


def _is_descriptor(part):
    return any('__get__' in vars_of(kind) for kind in mro_of(type(part)))


def _is_constant(value):
    return is_immutable(value) and not is_a(value, (*_functions, type))


def _may_change(one, stored):
    name = one.path.rpartition('.')[2]
    if is_immutable(one.value) or is_a(one.value, (*_functions, type)):
        return stored.has(name)
    return name_of(type(one.value)) not in harmless_kinds
