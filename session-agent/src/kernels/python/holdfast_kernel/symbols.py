"""The names that steps have defined, and which step bound each of them last."""

from types import BuiltinFunctionType, FunctionType, ModuleType

preview_characters_max = 200
symbols_max = 10_000

_hidden = frozenset(('__name__', '__doc__', '__package__', '__loader__', '__spec__', '__builtins__', '__annotations__'))
_scalars = (int, float, complex, bool, type(None))
_containers = (list, tuple, set, frozenset, dict)


class Symbols:
    def __init__(self, namespace):
        self._namespace = namespace
        self._identities = {}
        self._step_ids = {}

    def note(self, step_id):
        """Records what is bound anew since the last call. Identities, not references: a deleted value is really gone."""
        identities = {name: id(value) for name, value in self._namespace.items()}
        if identities == self._identities:
            return
        for name, identity in identities.items():
            if self._identities.get(name) != identity:
                self._step_ids[name] = step_id
        self._identities = identities

    def describe(self):
        names = [name for name in self._namespace if isinstance(name, str) and name not in _hidden]
        return [self._describe(name) for name in names[:symbols_max] if len(name) <= 512]

    def _describe(self, name):
        value = self._namespace[name]
        return {
            'name': name,
            'kind': _kind(value),
            'type': _type_name(value),
            'preview': preview(value),
            'size': _size(value),
            'stepId': self._step_ids.get(name),
        }


def preview(value, depth=0):
    """A short text for a value. It calls no code of the value's own class and looks at a few elements only."""
    kind = type(value)
    if kind in _scalars:
        return '<a long int>' if kind is int and value.bit_length() > 512 else repr(value)
    if kind in (str, bytes):
        return repr(value[:80]) + ('…' if len(value) > 80 else '')
    if kind in _containers and depth < 2:
        return _container(value, kind, depth)[:preview_characters_max]
    if isinstance(value, (FunctionType, type, ModuleType)):
        return '%s %s' % (_kind(value), str(getattr(value, '__name__', ''))[:100])
    return '<%s>' % _type_name(value)


def _container(value, kind, depth):
    shown = []
    for entry in value:
        if len(shown) == 5:
            shown.append('…')
            break
        text = preview(entry, depth + 1)
        shown.append('%s: %s' % (text, preview(value[entry], depth + 1)) if kind is dict else text)
    left, right = {list: '[]', tuple: '()', dict: '{}', set: '{}'}.get(kind, '{}')
    return left + ', '.join(shown) + right


def _kind(value):
    if isinstance(value, type):
        return 'class'
    if isinstance(value, (FunctionType, BuiltinFunctionType)):
        return 'function'
    return 'module' if isinstance(value, ModuleType) else 'variable'


def _type_name(value):
    kind = type(value)
    module = kind.__module__
    name = kind.__qualname__
    return (name if module in ('builtins', '__main__') else '%s.%s' % (module, name))[:512]


def _size(value):
    try:
        size = len(value)
    except Exception:
        return None
    return size if type(size) is int and size < 2**53 else None
