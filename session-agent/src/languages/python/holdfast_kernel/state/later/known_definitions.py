"""Knows functions and classes that hold no values of their own that code could change."""

import types

from ..immutable import is_immutable
from ..looking import is_a, vars_of

_code_types = (
    types.FunctionType,
    staticmethod,
    classmethod,
    property,
    types.GetSetDescriptorType,
    types.MemberDescriptorType,
    type,
)


def is_plain_definition(value):
    if is_a(value, types.FunctionType):
        return not value.__dict__ and not value.__closure__ and all(map(is_immutable, value.__defaults__ or ()))
    if not is_a(value, type):
        return False
    parts = [part for name, part in vars_of(value).items() if not name.startswith('__')]
    return all(is_a(part, _code_types) or is_immutable(part) for part in parts)
