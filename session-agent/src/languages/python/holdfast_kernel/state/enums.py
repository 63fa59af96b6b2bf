"""Saves the parts of enumerations that cloudpickle leaves out: second names of a member, and attributes of the members."""

import enum

_of_enum = frozenset(('_value_', '_name_', '__objclass__', '_sort_order_', '_inverted_'))


def own_attributes(member):
    """The attributes that steps have given a member."""
    return {name: part for name, part in vars(member).items() if name not in _of_enum}


def with_members(reduced, kind):
    """Completes cloudpickle's reduction of an enumeration. Raises TypeError if its members cannot be made from their values."""
    make, arguments, (state, slots), *others = reduced
    if getattr(make, '__name__', '') != '_make_skeleton_enum':
        return reduced
    members = kind.__members__
    for member in members.values():
        _refuse_unlike_value(member)
    values = {name: member.value for name, member in members.items()}
    attributes = {name: own_attributes(member) for name, member in members.items()}
    state = {name: part for name, part in state.items() if name not in members}
    saved = (state, slots), others[-1], attributes
    return make, (*arguments[:3], values, *arguments[4:]), saved, None, None, set_enum_state


def set_enum_state(kind, saved):
    state, set_state, attributes = saved
    set_state(kind, state)
    for name, own in attributes.items():
        vars(kind.__members__[name]).update(own)


def _refuse_unlike_value(member):
    """A `__new__` of a step can make a number or a text that is not that of its value."""
    base = next((one for one in type(member).__mro__ if one in _plain), None)
    if base is None or isinstance(member, enum.Flag):
        return
    value = member.value
    if _plain[base](member) != (base(*value) if type(value) is tuple and base is not tuple else base(value)):
        raise TypeError('an enumeration whose members differ from their values cannot be saved')


# The number or text of a member, without the methods of enumerations.
_plain = {
    int: int.__int__,
    float: float.__float__,
    str: str.__str__,
    bytes: lambda member: bytes.__getitem__(member, slice(None)),
    tuple: lambda member: tuple.__getitem__(member, slice(None)),
}
