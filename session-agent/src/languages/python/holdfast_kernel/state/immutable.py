"""Tells values that code cannot change from those that it can."""

import enum
import types

from .enums import own_attributes
from .looking import has_kind, is_a, is_of_step, module_of, mro_of, name_of
from .surroundings import shared_objects

_atoms = frozenset(
    {int, float, complex, str, bytes, bool, range, slice, type(None), type(Ellipsis), type(NotImplemented), types.CodeType}
    | {types.ModuleType}
)
_modules = frozenset(('decimal', 'fractions', 'datetime', 'uuid', 'pathlib', 'pathlib._local', 'zoneinfo', 'ipaddress'))
_names = frozenset((('re', 'Pattern'), ('numpy', 'dtype')))


def is_atom(value):
    """Whether it is immutable and has no parts."""
    if has_kind(value, _atoms):
        return True
    if type(value) is types.BuiltinFunctionType:
        return _is_of_module(value.__self__)
    kind = type(value)
    module = module_of(kind)
    return (
        (module in _modules and name_of(kind) != 'Context')
        or (module, name_of(kind)) in _names
        or (is_a(value, enum.Enum) and not (is_of_step(kind) and own_attributes(value)))
        or _is_numpy_atom(kind)
        or (is_a(value, type) and not is_of_step(value))
        or (type(value) is types.FunctionType and not is_of_step(value) and not _is_made(value))
    )


def _is_made(function):
    """Whether a library has made it for its caller, with values of this one."""
    return bool(function.__closure__) and '<locals>' in function.__qualname__


def _is_of_module(owner):
    """Whether a built-in function with this owner is one of a module. One of a value changes it, as `items.append` does."""
    if owner is None or type(owner) is types.ModuleType or any(owner is shared for shared in shared_objects().values()):
        return True
    return is_a(owner, type) and not is_of_step(owner)


def is_immutable(value, depth=0):
    """Whether neither the value nor any part of it can be changed."""
    if has_kind(value, (tuple, frozenset)):
        return depth < 20 and len(value) <= 10_000 and all(is_immutable(part, depth + 1) for part in value)
    return is_atom(value)


def _is_numpy_atom(kind):
    return _is_of_numpy(kind) and any(name_of(base) in ('generic', 'dtype') and _is_of_numpy(base) for base in mro_of(kind))


def _is_of_numpy(kind):
    return module_of(kind).partition('.')[0] == 'numpy'
