"""Reads and sets the attributes that an object itself has, without the methods of its class that take part in this."""

import types

from .looking import mro_of, vars_of


def attributes_of(value):
    """Those in its dictionary."""
    try:
        return dict(object.__getattribute__(value, '__dict__'))
    except AttributeError:
        return {}


def slots_of(value, is_wanted=lambda kind: True):
    """Those in slots that classes define which are wanted."""
    kinds = [kind for kind in mro_of(type(value)) if '__slots__' in vars_of(kind) and is_wanted(kind)]
    members = [(name, part) for kind in reversed(kinds) for name, part in vars_of(kind).items() if type(part) is types.MemberDescriptorType]
    return {name: part.__get__(value) for name, part in members if _is_filled(part, value)}


def set_attributes(value, attributes, slots):
    if attributes:
        object.__getattribute__(value, '__dict__').update(attributes)
    for name, part in (slots or {}).items():
        object.__setattr__(value, name, part)


def _is_filled(slot, value):
    try:
        slot.__get__(value)
    except AttributeError:
        return False
    return True
