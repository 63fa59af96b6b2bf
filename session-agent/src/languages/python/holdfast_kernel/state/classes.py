"""Saves the parts of classes that cloudpickle leaves out."""

import types

# Each class has its own, or the same in any case.
_not_repeated = frozenset(('__dict__', '__weakref__', '__slots__', '__module__', '__qualname__', '_abc_impl'))


def as_defined(reduced, kind):
    """Completes cloudpickle's reduction of a class: all that it has itself, in the order of its definition."""
    if not _is_by_value(reduced):
        return reduced
    make, (constructor, name, bases, members, *rest), (state, slots), *others = reduced
    _keep_repeated(state, kind)
    # Pickle itself adds the names of slots to a class while it saves an object of it.
    state.pop('__slotnames__', None)
    if kind.__qualname__ != name:
        members = {**members, '__qualname__': kind.__qualname__}
    places = {key: place for place, key in enumerate(vars(kind))}
    state = dict(sorted(state.items(), key=lambda item: places.get(item[0], -1)))
    reduced = make, (constructor, name, bases, members, *rest), (state, slots), *others
    return _with_slots(reduced, kind) if '__slots__' in vars(kind) else reduced


def _is_by_value(reduced):
    return len(reduced) > 2 and type(reduced[2]) is tuple and type(reduced[2][0]) is dict


def _keep_repeated(state, kind):
    """Adds the attributes that a class has itself with the same value as a class that it extends, which cloudpickle takes for inherited ones."""
    for key, part in vars(kind).items():
        if key not in state and key not in _not_repeated and any(vars(base).get(key, kind) is part for base in kind.__mro__[1:]):
            state[key] = part


def _with_slots(reduced, kind):
    """Only a class that is made with its slots has them."""
    make, (constructor, name, bases, members, *rest), (state, slots), *others = reduced
    if issubclass(kind, tuple) and kind.__bases__[:1] == (tuple,):
        # `NamedTuple` stands among the bases in the code, and makes a class of its own that has other ones.
        bases, members = kind.__bases__, {**members, **_original_bases(kind)}
    own = {key for key, part in state.items() if type(part) is types.MemberDescriptorType}
    state = {key: part for key, part in state.items() if key not in own and key != '__slots__'}
    return make, (constructor, name, bases, {**members, '__slots__': kind.__slots__}, *rest), (state, slots), *others


def _original_bases(kind):
    # `Generic` reads its parameters from them.
    return {name: part for name, part in vars(kind).items() if name == '__orig_bases__'}
