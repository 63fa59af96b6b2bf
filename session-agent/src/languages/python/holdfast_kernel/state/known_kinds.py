"""Saves objects of kinds that pickle cannot save, or of which it would make something else."""

import collections
import contextlib
import functools
import gc
import importlib
import sys
import types
import typing
import weakref

from .looking import has_kind

_view_methods = {type(getattr(kind(), name)()): getattr(kind, name) for kind in (dict, collections.OrderedDict) for name in ('keys', 'values', 'items')}
_views = (types.MappingProxyType, *_view_methods)
# pickle would save what a proxy stands for, and a finalizer without what it waits for.
_refused = (weakref.ProxyType, weakref.CallableProxyType, weakref.finalize)
# Their items are saved. Those that no other saved value holds are gone again after a recovery.
_weak_dictionaries = (weakref.WeakKeyDictionary, weakref.WeakValueDictionary)
_type_variables = tuple(getattr(typing, name) for name in ('TypeVar', 'ParamSpec', 'TypeVarTuple') if hasattr(typing, name))
_options_of_variables = ('bound', 'covariant', 'contravariant', 'infer_variance')
_type_aliases = (typing.TypeAliasType,) if hasattr(typing, 'TypeAliasType') else ()
# A function before Python 3.10.
_new_type = (typing.NewType,) if type(typing.NewType) is type else ()


def reduction_of_known(value):
    """None if the value is of another kind."""
    if type(value) is types.ModuleType:
        return _of_module(value)
    if has_kind(value, _refused):
        raise TypeError("cannot pickle '%s' object" % type(value).__name__)
    if has_kind(value, _views):
        return _of_view(value)
    # They have a metaclass, which is Python's own.
    if any(type(value) is kind for kind in _weak_dictionaries):
        return type(value), (), None, None, iter(list(value.items()))
    if type(value) is weakref.WeakSet:
        return weakref.WeakSet, (list(value),)
    if has_kind(value, (functools.cached_property,)):
        # Until Python 3.12 it has a lock.
        return cached_property, (value.func, value.attrname)
    if _is_multibyte(type(value)):
        return codec_at, (type(value), value.errors, value.getstate())
    if has_kind(value, _type_variables) and not _is_found_by_name(value):
        return _of_type_variable(value)
    if has_kind(value, _type_aliases) and value.__module__ == '__main__':
        return type_alias, (value.__name__, value.__value__, value.__type_params__)
    if has_kind(value, _new_type) and value.__module__ == '__main__':
        return typing.NewType, (value.__name__, value.__supertype__), {'__module__': '__main__'}
    return None


def _of_module(module):
    """A package is saved with the modules in it that are loaded: `import concurrent.futures` binds `concurrent` alone. None for a step's own module."""
    name = vars(module).get('__name__')
    if type(name) is not str or sys.modules.get(name) is not module:
        return None
    inner = [one[len(name) :] for one in list(sys.modules) if one.startswith(name + '.') and '._' not in one] if '__path__' in vars(module) else []
    return imported, (name, ' '.join(inner))


def imported(name, inner):
    module = importlib.import_module(name)
    for one in inner.split():
        if name + one not in sys.modules:
            # A module that is not there any more leaves the others.
            with contextlib.suppress(Exception):
                importlib.import_module(name + one)
    return module


def _is_multibyte(kind):
    """Whether it is an incremental coder of an Asian encoding, which Python writes in C."""
    return '_multibytecodec' in sys.modules and any(base.__module__ == '_multibytecodec' and hasattr(base, 'setstate') for base in kind.__mro__)


def codec_at(kind, errors, state):
    made = kind(errors)
    made.setstate(state)
    return made


def _of_type_variable(variable):
    options = {name: getattr(variable, '__%s__' % name) for name in _options_of_variables if getattr(variable, '__%s__' % name, None)}
    # Since Python 3.13; a default can be None.
    if hasattr(variable, 'has_default') and variable.has_default():
        options['default'] = variable.__default__
    return type_variable, (type(variable), variable.__name__, getattr(variable, '__constraints__', ()), options, variable.__module__)


def _is_found_by_name(value):
    """Whether a module other than that of the steps has it. Variables of `class A[T]` say that they are of `typing`."""
    return value.__module__ != '__main__' and getattr(sys.modules.get(value.__module__), value.__name__, None) is value


def type_variable(kind, name, constraints, options, module):
    made = kind(name, *constraints, **options)
    made.__module__ = module
    return made


def type_alias(name, value, parameters):
    # It belongs to the module of the code that makes it.
    make = typing.TypeAliasType
    return eval('make(name, value, type_params=parameters)', {'__name__': '__main__', **locals()})


def _of_view(view):
    """A view goes on showing its dictionary. cloudpickle would save a copy of what it shows."""
    (shown,) = gc.get_referents(view)
    return _view_methods.get(type(view), type(view)), (shown,)


def cached_property(function, name):
    made = functools.cached_property(function)
    made.attrname = name
    return made
