"""Tells values that code cannot change from those that it can."""

import enum
import types

from .enums import own_attributes

_atoms = frozenset(
    {int, float, complex, str, bytes, bool, range, slice, type(None), type(Ellipsis), type(NotImplemented), types.CodeType}
    | {types.BuiltinFunctionType, types.ModuleType}
)
_modules = frozenset(('decimal', 'fractions', 'datetime', 'uuid', 'pathlib', 'pathlib._local', 'zoneinfo', 'ipaddress'))
_names = frozenset((('re', 'Pattern'), ('numpy', 'dtype')))


def is_atom(value):
    """Whether it is immutable and has no parts."""
    kind = type(value)
    return (
        kind in _atoms
        or kind.__module__ in _modules
        or (kind.__module__, kind.__name__) in _names
        or (isinstance(kind, enum.EnumMeta) and (kind.__module__ != '__main__' or not own_attributes(value)))
        or _is_numpy_atom(kind)
        or (isinstance(value, (type, types.FunctionType)) and getattr(value, '__module__', None) != '__main__')
    )


def is_immutable(value, depth=0):
    """Whether neither the value nor any part of it can be changed."""
    if type(value) in (tuple, frozenset):
        return depth < 20 and len(value) <= 10_000 and all(is_immutable(part, depth + 1) for part in value)
    return is_atom(value)


def _is_numpy_atom(kind):
    return kind.__module__.partition('.')[0] == 'numpy' and any(
        base.__name__ in ('generic', 'dtype') and base.__module__.partition('.')[0] == 'numpy' for base in kind.__mro__
    )
