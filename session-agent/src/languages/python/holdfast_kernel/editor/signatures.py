"""Reads signatures without running the user's code: those of functions, methods, builtins and plain classes."""

import inspect
import sys
from types import BuiltinFunctionType, FunctionType, MethodDescriptorType, MethodType, WrapperDescriptorType

from .describe_value import own_name, preview
from .static_lookup import static_attribute

_builtin_kinds = (BuiltinFunctionType, MethodDescriptorType, WrapperDescriptorType)
_made_by_class_statement = 1 << 9
_flags_of = type.__dict__['__flags__'].__get__


def signature_text(value):
    """Returns a text like `(a, b=1)`, or None if the signature is not known."""
    found = _parameters(value)
    return None if found is None else '(%s)' % ', '.join(_with_marks(found))


def parameter_names(value):
    """Returns the names of the parameters that can be given by name, in order."""
    by_name = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    return [parameter.name for parameter in _parameters(value) or () if parameter.kind in by_name]


def _parameters(value):
    kind = type(value)
    try:
        if kind is FunctionType:
            return _of_function(value)
        if kind is MethodType:
            return _of_function(value.__func__)[1:] if type(value.__func__) is FunctionType else None
        if issubclass(kind, type):
            return _of_class(value)
        if any(kind is each for each in _builtin_kinds):
            return list(inspect.signature(value).parameters.values())
    except Exception:
        pass
    return None


def _of_class(value):
    for name in ('__init__', '__new__'):
        try:
            function = static_attribute(value, name)
        except LookupError:
            continue
        if type(function) is FunctionType:
            return _of_function(function)[1:]
    return None if _flags_of(value) & _made_by_class_statement else list(inspect.signature(value).parameters.values())


def _of_function(function):
    """Inspects a copy, which lacks the attributes by which a function may claim another signature or run code of its own."""
    copy = FunctionType(function.__code__, {}, function.__name__, function.__defaults__, function.__closure__)
    copy.__kwdefaults__ = function.__kwdefaults__
    if sys.version_info < (3, 14):
        copy.__annotations__ = function.__annotations__
    return list(inspect.signature(copy).parameters.values())


def _with_marks(parameters):
    """Yields the texts of the parameters, with the marks `/` and `*` between them."""
    seen = None
    for parameter in parameters:
        if seen is inspect.Parameter.POSITIONAL_ONLY and parameter.kind is not seen:
            yield '/'
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY and seen not in (parameter.kind, inspect.Parameter.VAR_POSITIONAL):
            yield '*'
        seen = parameter.kind
        yield _text(parameter)
    if seen is inspect.Parameter.POSITIONAL_ONLY:
        yield '/'


def _text(parameter):
    stars = {inspect.Parameter.VAR_POSITIONAL: '*', inspect.Parameter.VAR_KEYWORD: '**'}.get(parameter.kind, '')
    text = stars + parameter.name
    annotation = parameter.annotation
    if annotation is not inspect.Parameter.empty:
        shown = annotation if type(annotation) is str else None
        text += ': ' + (shown or (own_name(annotation) if type(annotation) is type else preview(annotation)))
    if parameter.default is not inspect.Parameter.empty:
        text += ('=' if annotation is inspect.Parameter.empty else ' = ') + preview(parameter.default)
    return text
