"""Writes values as the call that makes them: exceptions, namespaces, patterns and the classes of `collections`."""

from types import SimpleNamespace

_flags = ('IGNORECASE', 'LOCALE', 'MULTILINE', 'DOTALL', 'UNICODE', 'VERBOSE', 'DEBUG')


def _write_call(printer, name, arguments, keywords=()):
    """Writes `name(a, b=c)`."""
    with printer.group(), printer.group(len(name) + 1, name + '(', ')'):
        for index, (keyword, value) in enumerate([('', value) for value in arguments] + list(keywords)):
            if index:
                printer.text(',')
                printer.breakable()
            with printer.group(len(keyword), keyword):
                printer.pretty(value)


class _Verbatim:
    """An argument whose text is written without quotes."""

    def __init__(self, text):
        self._text = text

    def _repr_pretty_(self, printer, is_cycle):
        printer.text(self._text)


_itself = (_Verbatim('...'),)


def _default_dict(value, printer, is_cycle):
    _write_call(printer, _name(value), _itself if is_cycle else (value.default_factory, dict(value)))


def _ordered_dict(value, printer, is_cycle):
    items = (list(value.items()),) if value else ()
    _write_call(printer, _name(value), _itself if is_cycle else items)


def _deque(value, printer, is_cycle):
    keywords = () if is_cycle or value.maxlen is None else (('maxlen=', value.maxlen),)
    _write_call(printer, _name(value), _itself if is_cycle else (list(value),), keywords)


def _counter(value, printer, is_cycle):
    counts = (dict(value.most_common()),) if value else ()
    _write_call(printer, _name(value), _itself if is_cycle else counts)


def _user_list(value, printer, is_cycle):
    _write_call(printer, _name(value), _itself if is_cycle else (value.data,))


def _namespace(value, printer, is_cycle):
    name = 'namespace' if type(value) is SimpleNamespace else _name(value)
    keywords = () if is_cycle else [(key + '=', entry) for key, entry in value.__dict__.items()]
    _write_call(printer, name, _itself if is_cycle else (), keywords)


def _exception(value, printer, is_cycle):
    kind = value.__class__
    module = '' if kind.__module__ == 'builtins' else kind.__module__ + '.'
    _write_call(printer, module + kind.__qualname__, _itself if is_cycle else value.args)


def _pattern(value, printer, is_cycle):
    import re

    quoted = repr(value.pattern).replace('\\\\', '\\')
    flags = '|'.join('re.' + name for name in _flags if value.flags & getattr(re, name))
    _write_call(printer, 're.compile', [_Verbatim(text) for text in ('r' + quoted, flags) if text])


def _environment(value, printer, is_cycle):
    from .containers import write_mapping

    write_mapping(value, printer, 'environ{', '}')


def _name(value):
    return value.__class__.__name__


writers = {SimpleNamespace: _namespace, BaseException: _exception}
# By name, as these modules may not be loaded.
writers_by_name = {
    ('collections', 'defaultdict'): _default_dict,
    ('collections', 'OrderedDict'): _ordered_dict,
    ('collections', 'deque'): _deque,
    ('collections', 'Counter'): _counter,
    ('collections', 'UserList'): _user_list,
    ('os', '_Environ'): _environment,
    ('re', 'Pattern'): _pattern,
}
