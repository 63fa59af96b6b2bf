"""Pickles values of the context: what steps defined by value, what modules define by reference."""

import enum
import functools
import importlib
import io
import struct
import sys
import types

from .arrays import is_array, reduction_of_array
from .cells import is_full
from .classes import as_defined
from .enums import with_members
from .errors import with_causes
from .immutable import is_atom
from .known_kinds import reduction_of_known
from .looking import has_kind
from .made_again import needs_care, reduction_of
from .surroundings import shared_objects

try:
    import cloudpickle
except ImportError:
    cloudpickle = None

_by_value = (types.FunctionType, type)
_in_memory = (io.StringIO, io.BytesIO)
# Checked for every object, so the most frequent types come first and cost little.
_frequent = frozenset((int, float, str, bytes, bool, type(None), tuple))
_not_numbers_max = 10_000


class MissingLibrary(Exception):
    pass


def _pickler_class():
    import pickle

    base = cloudpickle.CloudPickler if cloudpickle else pickle.Pickler

    class StatePickler(base):
        """Notes the objects that it meets, by which shared references are found, and keeps them alive, so that no id is used twice."""

        def __init__(self, file, main, rename, buffers):
            super().__init__(file, protocol=5, buffer_callback=buffers.append)
            self._main = main
            self._rename = rename
            self.met = {}
            self._care, self._arrays = {}, {}
            self._not_numbers = set()
            self._shared = {id(shared): name for name, shared in shared_objects().items()}

        def persistent_id(self, value):
            if type(value) in _frequent:
                if type(value) is float and value != value:
                    return self._not_a_number(value)
                # Libraries compare some texts by identity.
                return self._shared.get(id(value)) if type(value) is str else None
            if is_atom(value):
                return None
            key = id(value)
            if key in self._shared:
                return self._shared[key]
            self.met[key] = value
            return None

        def _not_a_number(self, value):
            """Containers find it by its identity alone. A list of many such objects is one of results, in which nothing looks for them."""
            name = self._shared.get(id(value))
            if name is None and (id(value) in self._not_numbers or len(self._not_numbers) < _not_numbers_max):
                self._not_numbers.add(id(value))
                self.met[id(value)] = value
                name = 'nan %s %d' % (struct.pack('<d', value).hex(), id(value))
            return name

        def reducer_override(self, value):
            kind = type(value)
            if kind is types.CodeType and cloudpickle:
                renamed = value.replace(co_filename=self._rename(value.co_filename))
                return _with_filename(self.dispatch_table[types.CodeType](renamed), renamed.co_filename)
            if cloudpickle is None:
                if isinstance(value, _by_value) and getattr(value, '__module__', None) == '__main__':
                    raise MissingLibrary('cloudpickle is not installed, which functions and classes of steps need')
                if kind is types.ModuleType and sys.modules.get(value.__name__) is value:
                    return importlib.import_module, (value.__name__,)
                return reduction_of_array(value) if self._is_array(kind) else NotImplemented
            if self._is_array(kind):
                return reduction_of_array(value)
            if isinstance(value, (io.IOBase, memoryview)) and not has_kind(value, _in_memory):
                # cloudpickle would save a copy of a file's content instead.
                raise TypeError("cannot pickle '%s' object" % kind.__name__)
            known = reduction_of_known(value)
            if known is not None:
                return known
            if kind is types.CellType:
                return types.CellType, ()
            if kind is functools._lru_cache_wrapper:
                return cached, (value.__wrapped__, value.cache_parameters())
            reduced = super().reducer_override(value)
            if reduced is NotImplemented and self._needs_care(kind):
                reduced = reduction_of(value)
            if issubclass(kind, BaseException):
                return with_causes(value, reduced, self._rename)
            if kind is types.FunctionType and type(reduced) is tuple:
                return _of_context(reduced, value, self._main)
            if isinstance(value, enum.EnumMeta) and type(reduced) is tuple:
                return with_members(reduced, value)
            if isinstance(value, type) and type(reduced) is tuple:
                return as_defined(reduced, value)
            return reduced

        def _needs_care(self, kind):
            if kind not in self._care:
                self._care[kind] = needs_care(kind)
            return self._care[kind]

        def _is_array(self, kind):
            if kind not in self._arrays:
                self._arrays[kind] = is_array(kind)
            return self._arrays[kind]

    return StatePickler


def _with_filename(reduced, filename):
    """Some versions of cloudpickle leave out the name by which a traceback finds the source."""
    make, arguments, *rest = reduced
    return make, tuple(filename if part == '<dynamic-code>' else part for part in arguments), *rest


def cached(function, parameters):
    """A function with an empty cache."""
    return functools.lru_cache(**parameters)(function)


def _of_context(reduced, function, main):
    """Keeps the variables that functions share, and leaves out the globals: a function finds them in the namespace that it comes to, and
    each of them is saved by itself.
    """
    make, arguments, (state, slots), items, entries, set_state = reduced
    slots = {**slots, '_set_state': set_state}
    if getattr(function, '__type_params__', ()):
        slots['__type_params__'] = function.__type_params__
    if function.__globals__ is main:
        slots['__globals__'] = {}
    if function.__closure__:
        arguments = (*arguments[:4], function.__closure__)
        slots['__closure__'] = None
        slots['_cells'] = [(cell, cell.cell_contents) for cell in function.__closure__ if is_full(cell)]
    return make, arguments, (state, slots), items, entries, set_function_state


def set_function_state(function, state):
    """The content of a cell comes after the function itself, which it may refer to."""
    for cell, content in state[1].pop('_cells', ()):
        cell.cell_contents = content
    state[1].pop('_set_state')(function, state)


_class = None


def pickled(value, main, rename):
    """Returns the pickle, its out-of-band buffers (PickleBuffer) and the objects that were met, by their ids."""
    global _class
    if _class is None:
        _class = _pickler_class()
    file, buffers = io.BytesIO(), []
    pickler = _class(file, main, rename, buffers)
    pickler.dump(value)
    return file.getbuffer(), [buffer.raw() for buffer in buffers], pickler.met
