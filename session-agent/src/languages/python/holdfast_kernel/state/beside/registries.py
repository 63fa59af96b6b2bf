"""Saves the dialects of `csv`, the accessors of pandas and the subclasses of abstract classes that steps have registered."""

import abc
import sys
import types

from ..looking import is_a, is_of_step, vars_of

_options_of_dialects = 'delimiter doublequote escapechar lineterminator quotechar quoting skipinitialspace strict'.split()
_own_dialects = ('excel', 'excel-tab', 'unix')
# Here most abstract classes are that others extend.
_modules = ('_collections_abc', 'numbers', 'io', 'os', 'contextlib', 'selectors')


def dialects(csv):
    found = {name: csv.get_dialect(name) for name in csv.list_dialects()}
    own = {name: {key: getattr(one, key) for key in _options_of_dialects} for name, one in found.items()}
    removed = [name for name in _own_dialects if name not in own]
    return {name: one for name, one in own.items() if name not in _own_dialects}, removed, csv.field_size_limit()


def restore_dialects(csv, saved):
    own, removed, limit = saved
    # It registers those of Python.
    import csv as _csv  # noqa: F401

    for name, options in own.items():
        csv.register_dialect(name, **options)
    for name in removed:
        csv.unregister_dialect(name)
    csv.field_size_limit(limit)


def accessors(pandas):
    kinds = [getattr(pandas, name) for name in ('DataFrame', 'Series', 'Index')]
    parts = [(kind.__name__, name, getattr(part, '_accessor', None)) for kind in kinds for name, part in vars_of(kind).items() if name[:1] != '_']
    return [(kind, name, accessor) for kind, name, accessor in parts if is_a(accessor, type) and is_of_step(accessor)] or None


def restore_accessors(pandas, saved):
    for kind, name, accessor in saved:
        getattr(pandas.api.extensions, 'register_%s_accessor' % kind.lower())(name)(accessor)


def registered():
    """Pairs of an abstract class of a library, and a class of a step."""
    main = vars(sys.modules['__main__'])
    bound = list(main.values())
    if not any(is_a(value, type) and is_of_step(value) for value in bound):
        return None
    modules = [*(sys.modules[name] for name in _modules if name in sys.modules), *(one for one in bound if type(one) is types.ModuleType)]
    values = [*bound, *(part for module in modules for part in list(vars(module).values()))]
    abstract = {id(one): one for one in values if is_a(one, type) and issubclass(type(one), abc.ABCMeta) and not is_of_step(one)}
    pairs = [(one, reference()) for one in abstract.values() for reference in abc._get_dump(one)[0]]
    return [(one, kind) for one, kind in pairs if kind is not None and is_of_step(kind)] or None


def restore_registered(_abc, pairs):
    for one, kind in pairs:
        one.register(kind)
