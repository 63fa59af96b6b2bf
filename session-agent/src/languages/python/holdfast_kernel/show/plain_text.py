"""The text of small plain values, which most values are: the same as IPython's, without IPython being asked."""

import sys
from types import ModuleType

_leaves = frozenset((int, float, str, bool, bytes, complex, type(None)))
_containers = frozenset((list, tuple, dict))
_line_characters_max = 79
_elements_max = 40
# Read from `type` itself, as a metaclass may lie or raise.
_mro_of = type.__dict__['__mro__'].__get__
_flags_of = type.__dict__['__flags__'].__get__
# CPython sets it for classes that Python code makes.
_heap_type = 1 << 9


def plain_text(value):
    """Returns the text, or None if the value is not a plain one or needs more than a line."""
    kind = type(value)
    if kind in _leaves:
        return repr(value)
    if (kind in _containers and len(value) <= _elements_max and _holds_leaves(value, kind)) or _is_numpy_scalar(kind):
        text = repr(value)
        if len(text) <= _line_characters_max:
            return text
    return None


def _is_numpy_scalar(kind):
    """Whether values of this type are numbers or texts of numpy, as sums and means of frames are."""
    if _flags_of(kind) & _heap_type:
        return False
    numpy = sys.modules.get('numpy')
    generic = numpy.__dict__.get('generic') if type(numpy) is ModuleType else None
    return generic is not None and any(one is generic for one in _mro_of(kind))


def _holds_leaves(value, kind):
    if kind is dict and not all(type(key) in _leaves for key in value):
        return False
    return all(type(element) in _leaves for element in (value.values() if kind is dict else value))
