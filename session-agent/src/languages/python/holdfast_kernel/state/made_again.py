"""Makes objects of steps' classes again without the steps' own methods: their effects are in the objects already."""

import collections
import copyreg

from .without_hooks import has_own_new, instance_of, is_hook_of_step

# The most special ones first. Counter is a dict that counts in methods of its own.
_containers = (collections.OrderedDict, collections.defaultdict, dict, collections.deque, list, set, frozenset, bytearray)
# Pickle calls these, or the containers' own methods do.
_of_containers = ('__init__', '__setitem__', '__getitem__', '__iter__', '__len__', 'add', 'append', 'extend', 'items', 'keys', 'update')
_own_protocol = ('__reduce__', '__reduce_ex__')


def needs_care(kind):
    """Whether pickle itself may run a step's methods to make objects of this class again, or leave out their attributes."""
    if has_own_new(kind):
        return True
    if kind.__module__ != '__main__':
        return False
    if any(base in kind.__mro__ for base in _containers):
        return _leaves_out_attributes(kind) or any(is_hook_of_step(getattr(kind, name, None)) for name in _of_containers)
    return kind.__reduce__ is not object.__reduce__ or kind.__reduce_ex__ is not object.__reduce_ex__


def _leaves_out_attributes(kind):
    return any(base in kind.__mro__ for base in (collections.Counter, collections.defaultdict))


def reduction_of(value):
    """NotImplemented if pickle itself runs none of the steps' methods but those of its protocol."""
    kind = type(value)
    if any(is_hook_of_step(getattr(kind, name, None)) for name in _own_protocol):
        return NotImplemented
    base = next((one for one in _containers if one in kind.__mro__), None)
    if base is not None:
        content = _content(base, value)
        make = (kind, content) if base is frozenset else (kind,)
        return instance_of, make, (base, None if base is frozenset else content, state_of(value)), None, None, fill
    reduced = value.__reduce_ex__(5)
    if type(reduced) is not tuple:
        return reduced
    if reduced[0] is copyreg.__newobj__:
        return instance_of, *reduced[1:]
    if reduced[0] is not kind:
        return reduced
    make, arguments, *rest = reduced
    if is_hook_of_step(kind.__init__) or has_own_new(kind):
        make, arguments = without_init, (kind, *arguments)
    attributes = None if rest else state_of(value)
    return (make, arguments, attributes, None, None, set_state) if attributes else (make, arguments, *rest)


def state_of(value):
    """The attributes of an object, as its class gives them to pickle."""
    kind = type(value)
    if hasattr(kind, '__getstate__'):
        return value.__getstate__()
    attributes = dict(getattr(value, '__dict__', None) or {})
    slots = {name: getattr(value, name) for name in copyreg._slotnames(kind) if hasattr(value, name)}
    return (attributes, slots) if slots else attributes or None


def _content(base, value):
    if base is bytearray:
        return bytes(value)
    if base is collections.deque:
        return list(base.__iter__(value)), base.maxlen.__get__(value)
    if base is collections.defaultdict:
        return list(dict.items(value)), base.default_factory.__get__(value)
    return list(base.items(value) if issubclass(base, dict) else base.__iter__(value))


def fill(thing, saved):
    """Gives a new object its content and its attributes. `saved` is as `reduction_of` made it."""
    base, content, state = saved
    if base in (collections.OrderedDict, dict):
        for key, part in content:
            base.__setitem__(thing, key, part)
    elif base is collections.defaultdict:
        base.__init__(thing, content[1])
        for key, part in content[0]:
            dict.__setitem__(thing, key, part)
    elif base is collections.deque:
        base.__init__(thing, *content)
    elif base is list:
        base.extend(thing, content)
    elif base is set:
        base.update(thing, content)
    elif base is bytearray:
        base.__init__(thing, content)
    if state is not None:
        set_state(thing, state)


def set_state(thing, state):
    """As pickle does it."""
    if hasattr(type(thing), '__setstate__'):
        thing.__setstate__(state)
        return
    attributes, slots = state if type(state) is tuple and len(state) == 2 else (state, None)
    if attributes:
        thing.__dict__.update(attributes)
    for name, part in (slots or {}).items():
        setattr(thing, name, part)


def without_init(kind, *arguments):
    """An object that the nearest base has initialized which no step defined."""
    thing = instance_of(kind, *arguments)
    base = next(one for one in kind.__mro__ if '__init__' in vars(one) and not is_hook_of_step(vars(one)['__init__']))
    # `object` takes no arguments, and a library's own `__init__` may want other ones; the attributes come from the state.
    if base is not object and base.__module__ == 'builtins':
        base.__init__(thing, *arguments)
    return thing
