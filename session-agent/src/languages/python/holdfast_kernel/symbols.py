"""The names that steps have defined, and which step bound each of them last.

Looking at a value runs no code of its class: a value may be made to raise, to loop or to exit when it is touched. So types are
compared by identity, and attributes of classes and modules are read by the getters of `type` itself.
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
name_units_max = 512
symbols_max = 10_000
# At most six bytes of JSON for each, which leaves room in a message of 16 MiB.
characters_max = 2 * 1024 * 1024
snapshot_tries = 100

_hidden = frozenset(('__name__', '__doc__', '__package__', '__loader__', '__spec__', '__builtins__', '__annotations__', '_exit_code'))
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


class Symbols:
    def __init__(self, namespace, history):
        self._namespace = namespace
        self._history = history
        self._identities = {}
        self._step_ids = {}

    def note(self, step_id):
        """Records what is bound anew since the last call. Identities, not references: a deleted value is really gone."""
        bindings = self._bindings()
        if bindings is None:
            return
        identities = {name: id(value) for name, value in bindings}
        if identities == self._identities:
            return
        for name, identity in identities.items():
            if self._identities.get(name) != identity:
                self._step_ids[name] = step_id
        self._identities = identities

    def describe(self):
        described = []
        characters = 0
        for name, value in self._bindings() or ():
            if name in _hidden or not _is_short(name) or self._history.owns(name, value):
                continue
            symbol = self._describe(name, value)
            characters += len(name) + len(symbol['type']) + len(symbol['preview'])
            if characters > characters_max or len(described) == symbols_max:
                break
            described.append(symbol)
        return described

    def _bindings(self):
        """The names and their values at one moment, or None where threads change them all the time."""
        for _ in range(snapshot_tries):
            try:
                return [(name, value) for name, value in list(self._namespace.items()) if type(name) is str]
            except RuntimeError:
                pass
        return None

    def _describe(self, name, value):
        return {
            'name': name,
            'kind': kind_of(value),
            'type': type_name(value),
            'preview': preview(value),
            'size': _size(value),
            'stepId': self._step_ids.get(name),
        }


def preview(value):
    """A short text for a value, by a few of its elements."""
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
    """`class`, `function`, `module` or `variable`."""
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
    """The name of a value's type, with its module where that says something."""
    kind = type(value)
    name = _qualname_of(kind)
    try:
        module = _module_of(kind)
    except AttributeError:
        module = None
    is_plain = type(module) is not str or module in ('builtins', '__main__')
    return (name if is_plain else '%s.%s' % (module, name))[:type_characters_max]


def _size(value):
    """The length of a value where the interpreter itself or a well-known library counts it."""
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
    """Types of well-known libraries whose own code may be run, where these are loaded."""
    modules = [module for module in map(sys.modules.get, ('pandas', 'polars')) if type(module) is ModuleType]
    return [module.__dict__.get(name) for module in modules for name in ('DataFrame', 'Series')]


def is_any(kind, kinds):
    return any(kind is each for each in kinds)


def _is_short(name):
    return len(name) <= name_units_max // 2 or len(name.encode('utf-16-le', 'surrogatepass')) <= 2 * name_units_max
