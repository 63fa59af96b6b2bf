"""Makes the text of a value as IPython shows it: containers wrapped at 79 columns, sets sorted, long sequences cut."""

from . import calls, containers, names
from .printer import Full, Printer

cut_mark = '… (cut)'

_known = {id(kind): write for module in (containers, names, calls) for kind, write in module.writers.items()}


def pretty_text(value, characters_max):
    """Returns the text of a value, cut if it is longer than `characters_max`. Raises if the value's own methods raise."""
    printer = Printer(_write, characters_max - len(cut_mark))
    try:
        printer.pretty(value)
        printer.flush()
    except Full:
        return printer.written() + cut_mark
    except RecursionError:
        # The interpreter's own repr takes fewer frames for each level.
        return repr(value)
    return printer.written()


def _write(value, printer):
    is_cycle = id(value) in printer.stack
    printer.stack.append(id(value))
    printer.begin_group()
    try:
        _writer(value)(value, printer, is_cycle)
    finally:
        printer.end_group()
        printer.stack.pop()


def _writer(value):
    """Returns the writer for a value: that of the first of its classes that has a known writer, `_repr_pretty_` or a repr."""
    for kind in _class(value).__mro__:
        # Found by identity, as a metaclass may make its classes unhashable.
        known = _known.get(id(kind)) or _known_by_name(kind)
        if known:
            return known
        own = kind.__dict__.get('_repr_pretty_')
        if callable(own):
            return own
        if kind is not object and callable(getattr(kind, '__repr__', None)) and '__repr__' in kind.__dict__:
            return _write_repr
    return _write_default


def _known_by_name(kind):
    module = kind.__module__
    return calls.writers_by_name.get((module, kind.__name__)) if type(module) is str else None


def _write_repr(value, printer, is_cycle):
    lines = repr(value).splitlines()
    with printer.group():
        for index, line in enumerate(lines):
            if index:
                printer.break_()
            printer.text(line)


def _write_default(value, printer, is_cycle):
    kind = _class(value)
    if kind.__repr__ is not object.__repr__:
        _write_repr(value, printer, is_cycle)
        return
    with printer.group(1, '<', '>'):
        printer.pretty(kind)
        printer.text(' at 0x%x' % id(value))
        if is_cycle:
            printer.text(' ...')


def _class(value):
    """Returns the class that the value says it has, since a proxy stands for another object."""
    try:
        kind = value.__class__
        return kind if isinstance(kind, type) else type(value)
    except Exception:
        return type(value)
