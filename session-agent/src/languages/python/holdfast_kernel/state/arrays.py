"""Saves arrays of numpy so that those that show parts of another one still do, and those that are read-only still are."""

import sys

from .made_again import has_own_protocol


def is_array(kind):
    """Whether it is numpy's class of arrays, or one that leaves it to this one how they are saved."""
    numpy = sys.modules.get('numpy')
    array = getattr(numpy, 'ndarray', None)
    if array is None or not issubclass(kind, array) or has_own_protocol(kind):
        return False
    return kind is array or (kind.__reduce__ is array.__reduce__ and kind.__reduce_ex__ is array.__reduce_ex__)


def reduction_of_array(array):
    """NotImplemented if numpy saves all of it."""
    _refuse_file(array)
    view = _as_view(array)
    attributes = dict(getattr(array, '__dict__', None) or {})
    if view is None and array.flags.writeable and not attributes:
        return NotImplemented
    make, arguments, *state = view or _as_writeable(array)
    return make, arguments, (state[0] if state else None, attributes, array.flags.writeable), None, None, set_array_state


def set_array_state(array, saved):
    state, attributes, is_writeable = saved
    if state is not None:
        array.__setstate__(state)
    if attributes:
        array.__dict__.update(attributes)
    if not is_writeable:
        array.flags.writeable = False


def view_of(kind, root, offset, shape, strides, dtype):
    import numpy

    with _Writeable(root):
        memory = numpy.asarray(root).reshape(-1, order='A').view(numpy.uint8)
    return numpy.ndarray.__new__(kind, shape, dtype, buffer=memory, offset=offset, strides=strides)


class _Writeable:
    """Makes an array writeable for a while, if its memory is."""

    def __init__(self, array):
        self._array = array
        self._was = array.flags.writeable

    def __enter__(self):
        self._set(True)

    def __exit__(self, *_error):
        self._set(self._was)

    def _set(self, is_writeable):
        try:
            self._array.flags.writeable = is_writeable
        except ValueError:
            pass


def _as_writeable(array):
    """The memory of a read-only array is saved as memory that others may write to: an array that shows a part of it can be writeable."""
    with _Writeable(array):
        return array.__reduce_ex__(5)


def _as_view(array):
    """An array that shows a part of another one is saved with that one. None for others."""
    numpy = sys.modules['numpy']
    root = array
    while isinstance(root.base, numpy.ndarray) and is_array(type(root.base)):
        root = root.base
    if root is array or not (root.flags.c_contiguous or root.flags.f_contiguous):
        return None
    offset = array.__array_interface__['data'][0] - root.__array_interface__['data'][0]
    if array.dtype.hasobject or offset < 0:
        return None
    return view_of, (type(array), root, offset, array.shape, array.strides, array.dtype)


def _refuse_file(array):
    """Raises TypeError for an array that shows a file, to which code may write by way of it."""
    memmap = getattr(sys.modules['numpy'], 'memmap', None)
    if memmap is not None and isinstance(array, memmap) and getattr(array, 'mode', None) in ('r+', 'w+'):
        raise TypeError("cannot pickle '%s' object" % type(array).__name__)
