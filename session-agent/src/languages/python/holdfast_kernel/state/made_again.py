"""Makes objects of steps' classes again without the steps' own methods: their effects are in the objects already."""

import collections
import copyreg
import types

from .attributes import attributes_of, set_attributes, slots_of
from .looking import is_code_of_step, is_of_step, vars_of
from .without_hooks import has_own_new, instance_of

# The most special ones first. Counter is a dict that counts in methods of its own.
_containers = (collections.OrderedDict, collections.defaultdict, dict, collections.deque, list, set, frozenset, bytearray)
# Pickle calls these, or the containers' own methods do.
_of_containers = ('__init__', '__setitem__', '__getitem__', '__iter__', '__len__', 'add', 'append', 'extend', 'items', 'keys', 'update')
_own_protocol = ('__reduce__', '__reduce_ex__')


def needs_care(kind):
    """Whether pickle itself may run a step's methods to make objects of this class again, or leave out their attributes."""
    if issubclass(kind, type):
        return False
    if has_own_new(kind) or answers_for_any(kind) or is_code_of_step(kind.__setattr__):
        return True
    if kind.__module__ != '__main__':
        return False
    if any(base in kind.__mro__ for base in _containers):
        return _leaves_out_attributes(kind) or any(is_code_of_step(getattr(kind, name, None)) for name in _of_containers)
    return kind.__reduce__ is not object.__reduce__ or kind.__reduce_ex__ is not object.__reduce_ex__


def _leaves_out_attributes(kind):
    return any(base in kind.__mro__ for base in (collections.Counter, collections.defaultdict))


def has_own_protocol(kind):
    return any(is_code_of_step(getattr(kind, name, None)) for name in _own_protocol)


def answers_for_any(kind):
    """Whether an object answers for attributes that it does not have, and its class does not say how its state is set. Pickle would ask an
    object without attributes for `__setstate__`.
    """
    if kind.__reduce_ex__ is not object.__reduce_ex__ or kind.__reduce__ is not object.__reduce__ or hasattr(kind, '__setstate__'):
        return False
    return any('__getattr__' in vars_of(base) or type(vars_of(base).get('__getattribute__')) is types.FunctionType for base in kind.__mro__)


def reduction_of(value):
    """NotImplemented if pickle itself runs none of the steps' methods but those of its protocol."""
    kind = type(value)
    if has_own_protocol(kind):
        return NotImplemented
    base = next((one for one in _containers if one in kind.__mro__), None)
    if base is not None:
        content = _content(base, value)
        make = (kind, content) if base is frozenset else (kind,)
        return instance_of, make, (base, None if base is frozenset else content, state_of(value)), None, None, fill
    if answers_for_any(kind) and not hasattr(kind, '__getnewargs_ex__'):
        make, arguments = _made_by_object(value)
        return make, arguments, state_of(value), None, None, set_state
    reduced = value.__reduce_ex__(5)
    if type(reduced) is not tuple:
        return reduced
    make, arguments, *rest = reduced
    if make is copyreg.__newobj__:
        return (instance_of, arguments, rest[0], None, None, set_state) if rest else (instance_of, arguments)
    if make is kind and (is_code_of_step(kind.__init__) or has_own_new(kind)):
        make, arguments = without_init, (kind, *arguments)
    left_out = _left_out(value, reduced)
    if not any(left_out) or len(rest) > 1:
        return make, arguments, *rest
    return make, arguments, (rest[0] if rest else None, left_out), None, None, complete


def _made_by_object(value):
    """The function and the arguments by which `object` would make it again."""
    kind = type(value)
    if issubclass(kind, tuple):
        # A `__new__` of a library can take more than the content.
        return tuple_of, (kind, *tuple.__iter__(value))
    return instance_of, (kind, *(kind.__getnewargs__(value) if hasattr(kind, '__getnewargs__') else ()))


def tuple_of(kind, *content):
    return tuple.__new__(kind, content)


def _left_out(value, reduced):
    """The attributes that the reduction of an object's base does not have: those in its dictionary, and those in slots of steps' classes."""
    attributes = attributes_of(value)
    if any(type(part) is dict and part.keys() >= attributes.keys() for part in _parts_of(reduced[1:3])):
        attributes = {}
    return attributes, slots_of(value, is_of_step)


def _parts_of(reduced, depth=3):
    for part in reduced:
        yield part
        if type(part) is tuple and depth:
            yield from _parts_of(part, depth - 1)


def complete(thing, saved):
    """Gives an object the state that its base has saved, and the attributes that this has left out."""
    state, left_out = saved
    if state is not None:
        set_state(thing, state)
    set_attributes(thing, *left_out)


def state_of(value):
    """The attributes of an object, as its class gives them to pickle."""
    own = getattr(type(value), '__getstate__', None)
    # Since Python 3.11, `object` has one, which asks the object for its slots.
    if own is not None and own is not getattr(object, '__getstate__', None):
        return own(value)
    attributes, slots = attributes_of(value), slots_of(value)
    return (attributes or None, slots) if slots else attributes or None


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
    set_attributes(thing, attributes, slots)


def without_init(kind, *arguments):
    """An object that the nearest base has initialized which no step defined."""
    thing = instance_of(kind, *arguments)
    base = next(one for one in kind.__mro__ if '__init__' in vars(one) and not is_code_of_step(vars(one)['__init__']))
    # `object` takes no arguments, and a library's own `__init__` may want other ones; the attributes come from the state.
    if base is not object and base.__module__ == 'builtins':
        base.__init__(thing, *arguments)
    return thing
