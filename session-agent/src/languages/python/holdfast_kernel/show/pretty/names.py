"""Writes classes, functions and `super` objects by their names."""

from types import BuiltinFunctionType, FunctionType

_nameless_modules = (None, 'builtins')


def _class(value, printer, is_cycle):
    if type(value).__repr__ is not type.__repr__:
        printer.text(repr(value))
        return
    printer.text(_full_name(value))


def _function(value, printer, is_cycle):
    import inspect

    name = _full_name(value)
    try:
        name += str(inspect.signature(value))
    except Exception:
        # Some builtin functions have no signature.
        pass
    printer.text('<function %s>' % name)


def _super(value, printer, is_cycle):
    with printer.group(8, '<super: ', '>'):
        printer.pretty(value.__thisclass__)
        printer.text(',')
        printer.breakable()
        printer.pretty(value.__self__)


def _full_name(value):
    name = getattr(value, '__qualname__', value.__name__)
    if not isinstance(name, str):
        name = str(value.__name__)
    module = value.__module__
    return name if module in _nameless_modules else '%s.%s' % (module, name)


writers = {type: _class, FunctionType: _function, BuiltinFunctionType: _function, super: _super}
