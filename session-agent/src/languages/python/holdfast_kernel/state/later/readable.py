"""Knows values of which reading changes nothing, however it is done: subscripts, iteration, comparisons, texts."""

import array
import collections
import gc
import types

from ..immutable import is_atom
from ..looking import has_kind, is_a, is_of_step, module_of, mro_of, parts_of, vars_of

_objects_max = 50_000
_kinds = frozenset(
    (
        *(list, tuple, dict, set, frozenset, bytearray, array.array, type({}.keys()), type({}.values()), type({}.items())),
        *(collections.deque, collections.Counter, collections.OrderedDict, types.SimpleNamespace, types.GenericAlias),
    )
)
_libraries = frozenset(('numpy', 'pandas', 'scipy', 'polars', 'pyarrow'))
# A value of a type with one of these can change when it is read: an iterator, a `defaultdict`, a mock.
_reading = frozenset(('__next__', '__anext__', '__iter__', '__getitem__', '__contains__', '__missing__', '__getattr__', '__call__', '__get__'))


def is_readable(value):
    """Whether reading the value and any part of it runs no code of a step and changes nothing."""
    seen, queue = set(), [value]
    while queue:
        thing = queue.pop()
        if id(thing) in seen or is_atom(thing) and not is_a(thing, (type, types.FunctionType, types.BuiltinFunctionType)):
            continue
        seen.add(id(thing))
        if len(seen) > _objects_max or not _is_readable_kind(thing):
            return False
        if not is_a(thing, type) and gc.is_tracked(thing):
            queue += parts_of(thing)
    return True


def _is_readable_kind(thing):
    if is_a(thing, type):
        return not is_of_step(thing)
    kind = type(thing)
    if has_kind(thing, _kinds):
        return True
    if any(is_of_step(base) for base in mro_of(kind)):
        return False
    reading = ('__next__',) if module_of(kind).partition('.')[0] in _libraries else _reading
    return not any(name in vars_of(base) for base in mro_of(kind) for name in reading)


def is_settled(value):
    """Whether a value consists of numbers, texts and the like, whose order and texts are the same in each kernel."""
    seen, queue = set(), [value]
    while queue:
        thing = queue.pop()
        if id(thing) in seen:
            continue
        seen.add(id(thing))
        if has_kind(thing, (list, tuple, dict, collections.deque, collections.OrderedDict)) and len(seen) < _objects_max:
            queue += parts_of(thing)
        elif not is_atom(thing) or is_a(thing, types.FunctionType) or is_of_step(type(thing)):
            return False
    return True
