"""Looks at values without running any code of theirs, which `isinstance`, `getattr`, `==` and `hash` can do."""

import gc
import types
from _contextvars import Context

_mro = type.__dict__['__mro__'].__get__
_vars = type.__dict__['__dict__'].__get__
_bases = type.__dict__['__bases__'].__get__
_name = type.__dict__['__name__'].__get__
_module = type.__dict__['__module__'].__get__


def is_a(value, kinds):
    """As `isinstance`, but by the true type, whatever `__class__` says. `kinds` are built-in types or tuples of them."""
    return issubclass(type(value), kinds)


def has_kind(value, kinds):
    """Whether the type of the value is one of these, which no step defined."""
    return is_plain_kind(type(value)) and type(value) in kinds


def is_plain_kind(kind):
    """Whether a type has no metaclass, so that it can be hashed and compared."""
    return type(kind) is type


def mro_of(kind):
    return _mro(kind)


def bases_of(kind):
    return _bases(kind)


def vars_of(kind):
    """The attributes that a class itself has."""
    return _vars(kind)


def name_of(kind):
    return _name(kind)


def module_of(value):
    """The name of the module that a class or a function says it belongs to, or an empty text."""
    try:
        name = _module(value) if is_a(value, type) else value.__module__ if has_kind(value, _functions) else ''
    except AttributeError:
        return ''
    return name if type(name) is str else ''


def is_of_step(value):
    """Whether a step defined this class or function."""
    return module_of(value) == '__main__'


def is_code_of_step(value):
    """Whether it is a function or a method that runs code of a step, whatever module it says that it belongs to."""
    function = value.__func__ if has_kind(value, _wrappers) else value
    return type(function) is types.FunctionType and function.__globals__.get('__name__') == '__main__'


def parts_of(thing):
    """The objects that a value holds, except numbers and texts, of which a large one can have millions, and except context variables, which
    have values of the kernel.
    """
    return [part for part in gc.get_referents(thing) if id(type(part)) not in _left_out]


# A type is known by its id, because its own code could take part in comparing it.
_left_out = frozenset(map(id, (int, float, str, bytes, bool, type(None), Context)))
_functions = (types.FunctionType, types.BuiltinFunctionType)
_wrappers = (staticmethod, classmethod, types.MethodType)
