"""Writes lists, tuples, dicts and sets, with an element on each line if they do not fit on one line."""

from types import MappingProxyType


def _writer(write_elements):
    """Makes a writer for a builtin class. It also writes subclasses that have no repr of their own."""

    def for_class(kind, open, close):
        def write(value, printer, is_cycle):
            if type(value).__repr__ != kind.__repr__:
                printer.text(type(value).__repr__(value))
            elif is_cycle:
                printer.text(open + '...' + close)
            else:
                write_elements(value, printer, open, close)

        return write

    return for_class


@_writer
def _sequence(value, printer, open, close):
    with printer.group(len(open), open, close):
        for element in _elements(value, printer):
            printer.pretty(element)
        if len(value) == 1 and isinstance(value, tuple):
            printer.text(',')


@_writer
def _set(value, printer, open, close):
    if not value:
        printer.text(type(value).__name__ + '()')
        return
    ordered = _sorted(value) if len(value) < printer.max_seq_length else value
    with printer.group(len(open), open, close):
        for element in _elements(ordered, printer):
            printer.pretty(element)


def write_mapping(value, printer, open, close):
    with printer.group(len(open), open, close):
        for key in _elements(value.keys(), printer):
            printer.pretty(key)
            printer.text(': ')
            printer.pretty(value[key])


def _elements(values, printer):
    """Yields the elements, writing commas between them and an ellipsis for those beyond the printer's maximum."""
    for index, value in enumerate(values):
        if index:
            printer.text(',')
            printer.breakable()
        if index >= printer.max_seq_length:
            printer.text('...')
            return
        yield value


def _sorted(values):
    for key in (None, str):
        try:
            return sorted(values, key=key)
        except Exception:
            # Values that cannot be compared are sorted by their text. If they have no text either, they stay in their order.
            continue
    return values


writers = {
    list: _sequence(list, '[', ']'),
    tuple: _sequence(tuple, '(', ')'),
    set: _set(set, '{', '}'),
    frozenset: _set(frozenset, 'frozenset({', '})'),
    dict: _writer(write_mapping)(dict, '{', '}'),
    MappingProxyType: _writer(write_mapping)(MappingProxyType, 'mappingproxy({', '})'),
}
