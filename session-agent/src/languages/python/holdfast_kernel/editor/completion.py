"""Completes the code at a cursor with names, attributes, modules, keyword arguments or keys. Runs none of the user's code."""

import builtins
import keyword

from .code_cursor import CodeCursor
from .module_names import import_matches
from .signatures import parameter_names
from .static_lookup import attribute_names, look_up, static_attribute, text_keys
from .describe_value import kind_of

matches_max = 1000
text_characters_max = 512


def complete(namespace, code, cursor):
    """Returns `{matches: [{text, kind}], start, end}`, with positions in characters. Never raises."""
    text = code[:cursor]
    try:
        prefix, found = _found(namespace, CodeCursor(text))
    except Exception:
        prefix, found = '', []
    matches = [
        {'text': name, 'kind': kind} for name, kind in found if name.startswith(prefix) and len(name) <= text_characters_max
    ]
    return {'matches': matches[:matches_max], 'start': len(text) - len(prefix), 'end': len(text)}


def _found(namespace, cursor):
    """Returns the beginning of the wanted name, and (name, kind) of each candidate, the best first."""
    if cursor.string_start is not None:
        owner, prefix = cursor.key() or ('', '')
        return prefix, _sorted((key, 'key') for key in text_keys(look_up(namespace, owner))) if owner else []
    if cursor.is_comment:
        return '', []
    imported = import_matches(cursor.line)
    if imported is not None:
        prefix, names = imported
        return prefix, _sorted(names)
    owner = cursor.owner()
    if owner is None:
        return cursor.prefix, _names(namespace, cursor)
    return cursor.prefix, _attributes(look_up(namespace, owner), cursor.prefix) if owner else []


def _names(namespace, cursor):
    parameters = []
    try:
        if cursor.called():
            names = parameter_names(look_up(namespace, cursor.called()))
            parameters = [(name + '=', 'parameter') for name in names]
    except LookupError:
        pass
    own = {name: kind_of(value) for name, value in list(namespace.items()) if type(name) is str}
    given = {name: kind_of(value) for name, value in list(vars(builtins).items()) if name not in own}
    found = [*own.items(), *given.items()]
    keywords = [(name, 'keyword') for name in keyword.kwlist if name not in given]
    return parameters + _sorted(_visible(found, cursor.prefix)) + keywords


def _attributes(value, prefix):
    def kind(name):
        try:
            found = static_attribute(value, name)
        except LookupError:
            return None
        return 'property' if type(found) is property else kind_of(found)

    return _sorted((name, kind(name)) for name, _ in _visible([(name, None) for name in attribute_names(value)], prefix))


def _visible(found, prefix):
    """Leaves out names with an underscore in front until the underscore is typed."""
    return [(name, kind) for name, kind in found if prefix or not name.startswith('_')]


def _sorted(found):
    return sorted(found, key=lambda match: (match[0].startswith('_'), match[0]))
