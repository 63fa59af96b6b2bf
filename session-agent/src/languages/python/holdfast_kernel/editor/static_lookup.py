"""Finds values and their attributes without running code of their classes: no property, no `__getattr__`, no `__dir__`."""

import builtins
import inspect
from types import FunctionType, GetSetDescriptorType, MemberDescriptorType, MethodType, ModuleType

from .describe_value import frame_types, is_any

_mro_of = type.__dict__['__mro__'].__get__
_dict_of = type.__dict__['__dict__'].__get__
_module_dict_of = ModuleType.__dict__['__dict__'].__get__


def look_up(namespace, dotted):
    """Returns the value of a dotted name. Raises LookupError if there is none or only running code could tell."""
    first, *rest = dotted.split('.')
    value = namespace[first] if first in namespace else vars(builtins)[first]
    for name in rest:
        value = static_attribute(value, name)
    return value


def static_attribute(value, name):
    """Returns an attribute as an instance, its type or a module stores it. Raises LookupError if there is none or it is computed."""
    try:
        found = inspect.getattr_static(value, name)
    except Exception:
        raise LookupError(name) from None
    kind = type(found)
    if kind is staticmethod:
        return found.__func__
    if kind is classmethod:
        return MethodType(found.__func__, value)
    if issubclass(type(value), (type, ModuleType)):
        return found
    if kind is FunctionType and name not in _instance_names(value):
        return MethodType(found, value)
    if kind in (MemberDescriptorType, GetSetDescriptorType):
        try:
            return found.__get__(value)
        except Exception:
            raise LookupError(name) from None
    return found


def attribute_names(value):
    """Returns the names of a value's attributes as a set."""
    if is_any(type(value), frame_types()):
        return {name for name in dir(value) if type(name) is str}
    if issubclass(type(value), ModuleType):
        return _texts(_module_dict_of(value) or {})
    names = set() if issubclass(type(value), type) else _instance_names(value)
    for base in _mro_of(value if issubclass(type(value), type) else type(value)):
        names |= _texts(_dict_of(base))
    return names


def text_keys(value):
    """Returns the keys of a plain dict, or the columns of a data frame, as far as they are text."""
    if type(value) is dict:
        return _texts(value)
    if is_any(type(value), frame_types()):
        return _texts(getattr(value, 'columns', ()))
    return set()


def _instance_names(value):
    try:
        return _texts(object.__getattribute__(value, '__dict__'))
    except Exception:
        return set()


def _texts(names):
    return {name for name in list(names) if type(name) is str}
