"""Describes the name at a cursor as text. Runs none of the user's code."""

import re
from types import FunctionType, MethodType, ModuleType

from .code_cursor import CodeCursor, dotted_at_end
from .describe_value import kind_of, preview, type_name
from .signatures import signature_text
from .static_lookup import look_up, static_attribute

text_characters_max = 256 * 1024

_rest_of_name = re.compile(r'\w*')
_mro_of = type.__dict__['__mro__'].__get__
_dict_of = type.__dict__['__dict__'].__get__


def inspect_at(namespace, code, cursor):
    """Returns `{found, data}` with a MIME bundle of `text/plain`. Never raises."""
    try:
        for name in _names_at(code, cursor):
            try:
                value = look_up(namespace, name)
            except LookupError:
                continue
            text = '\n'.join('%s: %s' % line for line in _lines(name, value))
            return {'found': True, 'data': {'text/plain': text[:text_characters_max]}}
    except Exception:
        pass
    return {'found': False, 'data': {}}


def _names_at(code, cursor):
    """Yields the name at the cursor, and then the name of the function that is called around it."""
    end = cursor + len(_rest_of_name.match(code, cursor).group())
    place = CodeCursor(code[:cursor])
    if place.string_start is None and not place.is_comment:
        yield dotted_at_end(code[:end].rstrip(' \t('))
    yield place.called()


def _lines(name, value):
    signature = signature_text(value)
    if signature is not None:
        yield 'Signature', name.rpartition('.')[2] + signature
    yield 'Type', type_name(value)
    if kind_of(value) == 'variable' and type(value) is not property:
        yield 'Value', preview(value)
    file = _file(value)
    if file:
        yield 'File', file
    text = _docstring(value)
    if text:
        yield 'Docstring', text


def _docstring(value):
    """Returns the docstring of a value, or of its class if the value is an instance."""
    import inspect

    kind = type(value)
    if issubclass(kind, type):
        texts = [_dict_of(base).get('__doc__') for base in _mro_of(value) if base is not object]
        text = next((text for text in texts if type(text) is str), None)
    else:
        try:
            text = static_attribute(value, '__doc__')
        except LookupError:
            text = None
    return inspect.cleandoc(text) if type(text) is str else None


def _file(value):
    function = value.__func__ if type(value) is MethodType else value
    if type(function) is FunctionType:
        return function.__code__.co_filename
    if not issubclass(type(value), ModuleType):
        return None
    try:
        file = static_attribute(value, '__file__')
    except LookupError:
        return None
    return file if type(file) is str else None
