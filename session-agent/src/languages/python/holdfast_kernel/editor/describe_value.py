"""Describes a value in a few words without running code of its class, which may raise, loop or exit when the value is touched.

So types are compared by identity, and attributes of classes and modules are read by the getters of `type` itself.
"""

import sys
from types import (
    BuiltinFunctionType,
    ClassMethodDescriptorType,
    FunctionType,
    MethodDescriptorType,
    MethodType,
    ModuleType,
    WrapperDescriptorType,
)

preview_characters_max = 200
type_characters_max = 200

_functions = (
    FunctionType,
    BuiltinFunctionType,
    MethodType,
    MethodDescriptorType,
    WrapperDescriptorType,
    ClassMethodDescriptorType,
)
_scalars = (int, float, complex, bool, type(None))
_brackets = ((list, '[]'), (tuple, '()'), (dict, '{}'), (set, '{}'), (frozenset, '{}'))

_mro_of = type.__dict__['__mro__'].__get__
_dict_of = type.__dict__['__dict__'].__get__
_module_of = type.__dict__['__module__'].__get__
_name_of = type.__dict__['__name__'].__get__
_qualname_of = type.__dict__['__qualname__'].__get__
_module_dict_of = ModuleType.__dict__['__dict__'].__get__


def preview(value):
    """Returns a short text for a value, with a few of its elements."""
    try:
        return _preview(value, 0)[:preview_characters_max]
    except Exception:
        # A thread has changed the value meanwhile.
        return '<%s>' % type_name(value)


def _preview(value, depth):
    kind = type(value)
    if is_any(kind, _scalars):
        return '<a long int>' if kind is int and value.bit_length() > 512 else repr(value)
    if kind is str or kind is bytes:
        return repr(value[:80]) + ('…' if len(value) > 80 else '')
    for container, brackets in _brackets:
        if kind is container and depth < 2:
            return _container(value, brackets, depth)
    if issubclass(kind, (FunctionType, type, ModuleType)):
        return '%s %s' % (kind_of(value), own_name(value)[:100])
    return '<%s>' % type_name(value)


def _container(value, brackets, depth):
    shown = []
    is_dict = type(value) is dict
    for entry in value.items() if is_dict else value:
        if len(shown) == 5:
            shown.append('…')
            break
        texts = [_preview(part, depth + 1) for part in (entry if is_dict else (entry,))]
        shown.append(': '.join(texts))
    return brackets[0] + ', '.join(shown) + brackets[1]


def kind_of(value):
    """Returns `class`, `function`, `module` or `variable`."""
    kind = type(value)
    if issubclass(kind, type):
        return 'class'
    if issubclass(kind, _functions):
        return 'function'
    return 'module' if issubclass(kind, ModuleType) else 'variable'


def own_name(value):
    kind = type(value)
    if kind is FunctionType:
        return value.__name__
    name = _name_of(value) if issubclass(kind, type) else (_module_dict_of(value) or {}).get('__name__')
    return name if type(name) is str else ''


def type_name(value):
    """Returns the name of a value's type, with its module unless that is `builtins` or `__main__`."""
    kind = type(value)
    name = _qualname_of(kind)
    try:
        module = _module_of(kind)
    except AttributeError:
        module = None
    is_plain = type(module) is not str or module in ('builtins', '__main__')
    return (name if is_plain else '%s.%s' % (module, name))[:type_characters_max]


def size_of(value):
    """Returns the length of a value if the interpreter itself or a well-known library counts it, else None."""
    try:
        size = len(value) if _has_tame_length(type(value)) else None
    except Exception:
        return None
    return size if type(size) is int and size < 2**53 else None


def _has_tame_length(kind):
    if is_any(kind, frame_types()):
        return True
    for base in _mro_of(kind):
        length = _dict_of(base).get('__len__')
        if length is not None:
            return type(length) is WrapperDescriptorType
    return False


def frame_types():
    """Returns the types of well-known libraries whose code may run here, if these libraries are loaded."""
    modules = [module for module in map(sys.modules.get, ('pandas', 'polars')) if type(module) is ModuleType]
    return [module.__dict__.get(name) for module in modules for name in ('DataFrame', 'Series')]


def is_any(kind, kinds):
    return any(kind is each for each in kinds)
