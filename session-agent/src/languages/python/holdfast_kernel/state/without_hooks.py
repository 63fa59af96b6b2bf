"""Makes classes and objects again without the code of steps that took part when they were first made: its effects are in the snapshot already."""

import contextlib

from .looking import is_code_of_step

_of_metaclasses = ('__prepare__', '__new__', '__init__', '__call__')


@contextlib.contextmanager
def without_hooks(constructor, bases, of_bases=('__init_subclass__',)):
    """Takes the steps' own hooks off a metaclass and the bases of a new class meanwhile."""
    taken = [*_own(constructor.__mro__, _of_metaclasses)]
    taken += _own({kind for base in bases for kind in getattr(base, '__mro__', ())}, of_bases)
    try:
        for kind, name, _hook in taken:
            type.__delattr__(kind, name)
        yield
    finally:
        for kind, name, hook in taken:
            type.__setattr__(kind, name, hook)


def has_own_new(kind):
    return is_code_of_step(getattr(kind, '__new__', None))


def instance_of(kind, *arguments):
    """An object that nothing has initialized, made as the nearest base does that no step defined."""
    for base in kind.__mro__:
        if '__new__' in vars(base) and not is_code_of_step(vars(base)['__new__']):
            # A `__new__` of a step can have used arguments that `object` refuses, and the state of the object has their effects.
            return object.__new__(kind) if base is object else base.__new__(kind, *arguments)
    raise TypeError('no base of %s makes objects' % kind.__name__)


def _own(kinds, names):
    return [(kind, name, vars(kind)[name]) for kind in kinds for name in names if is_code_of_step(vars(kind).get(name))]
