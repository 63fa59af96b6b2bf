"""From JSON to dataclasses and back. Unknown fields are dropped and unknown kinds stay as they came, so that a newer server is understood."""

import base64
import dataclasses
from enum import Enum
from functools import lru_cache
from typing import Any, Dict, List, Literal, Tuple, Type, TypeVar, Union, get_args, get_origin, get_type_hints

T = TypeVar("T")
_TAGS = ("type", "tag", "what")


class _NotGiven(Enum):
    NOT_GIVEN = "NOT_GIVEN"


NOT_GIVEN: Any = _NotGiven.NOT_GIVEN
"""The value of a field that is left out of a request, if `None` would be a value like any other."""


def decode(hint: Any, value: Any) -> Any:
    """The value as the type says."""
    if value is None or hint is Any:
        return value
    origin = get_origin(hint)
    if origin is Union:
        return _decode_union(get_args(hint), value)
    if origin is list and isinstance(value, list):
        (item,) = get_args(hint)
        return [decode(item, one) for one in value]
    if origin is dict and isinstance(value, dict):
        _, item = get_args(hint)
        return {key: decode(item, one) for key, one in value.items()}
    if dataclasses.is_dataclass(hint) and isinstance(value, dict):
        return decode_object(hint, value)  # type: ignore[arg-type]
    return value


def decode_object(cls: Type[T], value: Dict[str, Any]) -> T:
    """An object of the dataclass. A field that is missing is `None`."""
    return cls(**{name: decode(hint, value.get(wire)) for name, wire, hint, _ in _fields(cls)})  # type: ignore[arg-type,unused-ignore]


def encode(value: Any) -> Any:
    """The JSON of arguments: dataclasses without the fields that were not given, everything else as it is."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = [(wire, getattr(value, name), NOT_GIVEN if default is NOT_GIVEN else None) for name, wire, _, default in _fields(type(value))]
        return {wire: encode(one) for wire, one, left_out in fields if one is not left_out}
    if isinstance(value, bytes):
        return {"base64": base64.b64encode(value).decode()}
    if isinstance(value, dict):
        return {key: encode(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [encode(one) for one in value]
    return value


def camel_case(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(part.title() for part in rest)


def _decode_union(options: Tuple[Any, ...], value: Any) -> Any:
    for option in options:
        if dataclasses.is_dataclass(option):
            if isinstance(value, dict) and _fits(option, value):
                return decode(option, value)
        elif option is not type(None) and _is_like(option, value):
            return decode(option, value)
    return value


def _fits(cls: Any, value: Dict[str, Any]) -> bool:
    """By its tags, or if it has none by its fields."""
    tags = [(wire, hint) for _, wire, hint, _ in _fields(cls) if wire in _TAGS and get_origin(hint) is Literal]
    if tags:
        return all(value.get(wire) in get_args(hint) for wire, hint in tags)
    return all(wire in value for _, wire, _, default in _fields(cls) if default is dataclasses.MISSING)


def _is_like(option: Any, value: Any) -> bool:
    origin = get_origin(option) or option
    return origin in (list, dict) and isinstance(value, origin)


@lru_cache(maxsize=None)
def _fields(cls: Any) -> List[Tuple[str, str, Any, Any]]:
    """Name, name in JSON, type, and default."""
    hints = get_type_hints(cls)
    return [
        (one.name, one.metadata.get("wire") or camel_case(one.name), hints[one.name], one.default)
        for one in dataclasses.fields(cls)
    ]
