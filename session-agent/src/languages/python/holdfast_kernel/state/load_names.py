"""Loads the names of an archive into a namespace."""

import builtins
import enum
import importlib
import io
import pickle
import struct
import sys
import types

from .archive import BrokenArchive, read_archive
from .beside.settings import restore_setting
from .groups import Groups
from .short_texts import message_of
from .surroundings import Surroundings, restore_random_states, shared_object
from .without_hooks import without_hooks


class Loaded:
    def __init__(self):
        self.restored = []
        self.lost = {}
        self.sharing = Groups()
        # For each class, the names whose values use it.
        self.users = {}


def load_names(data, main, sources, guard):
    """Returns what was loaded and what was not. Never raises for a broken archive: then the names are lost."""
    loaded = Loaded()
    manifest = {'saved': [], 'notSaved': []}
    try:
        manifest, records = read_archive(data)
        _refuse_foreign(manifest)
        loaded.lost = {one['name']: one['reason'] for one in manifest['notSaved']}
        for place, (letter, header, view) in enumerate(records):
            if letter == b'G':
                _load_group(place, header, view, main, guard, loaded)
            elif letter == b'O':
                _load_setting(place, header, view, main, guard, loaded)
            else:
                _load_surroundings(letter, header, view, sources, loaded)
        guard.ends()
    except Exception as error:
        reason = 'the snapshot cannot be read: %s' % error
        for one in manifest.get('saved', ()):
            if one['name'] not in loaded.restored:
                loaded.lost.setdefault(one['name'], reason)
        if not manifest.get('saved'):
            loaded.lost['*'] = reason
    return loaded


def _refuse_foreign(manifest):
    version = '.'.join(str(manifest.get('interpreter', '')).split(' ')[-1].split('.')[:2])
    ours = '%d.%d' % sys.version_info[:2]
    if manifest.get('language') != 'python' or version != ours:
        raise BrokenArchive('it was made by %s, and this is Python %s' % (manifest.get('interpreter'), ours))


def _load_surroundings(letter, header, view, sources, loaded):
    if letter == b'S':
        loaded.lost.update(Surroundings.restore(header))
    elif letter == b'R':
        restore_random_states(bytes(view))
    elif letter == b'C':
        sources.restore(header)


def _load_group(place, header, view, main, guard, loaded):
    reason = 'loading it ended the kernel' if guard.leaves_out(place) else None
    try:
        if not reason:
            with guard.loads(place):
                values = _unpickled(header['sizes'], view, main)
    except BaseException as error:
        reason = 'it cannot be loaded: %s: %s' % (type(error).__name__, message_of(error)[:200])
    if reason:
        loaded.lost.update(dict.fromkeys(header['shares'], reason))
        return
    for path, module in header.get('modules', {}).items():
        _set_in_module(path, module, values.pop(path), loaded)
    main.update(values)
    main['__builtins__'] = builtins
    loaded.restored += values
    loaded.users.update(header['users'])
    for name, others in header['shares'].items():
        for other in others:
            loaded.sharing.join(name, other)


def _set_in_module(path, module, value, loaded):
    try:
        owner = importlib.import_module(module)
        *parts, name = path[len(module) + 1 :].split('.')
        for part in parts:
            owner = vars(owner)[part]
        setattr(owner, name, value)
    except BaseException as error:
        loaded.lost[path] = 'it cannot be set: %s: %s' % (type(error).__name__, message_of(error)[:200])


def _load_setting(place, header, view, main, guard, loaded):
    name = header['name']
    if guard.leaves_out(place):
        loaded.lost[name] = 'loading it ended the kernel'
        return
    try:
        with guard.loads(place):
            restore_setting(name, _unpickled(header['sizes'], view, main))
    except BaseException as error:
        loaded.lost[name] = 'it cannot be loaded: %s: %s' % (type(error).__name__, message_of(error)[:200])


def _unpickled(sizes, view, main):
    parts, at = [], 0
    for size in sizes:
        parts.append(view[at : at + size])
        at += size
    # Copies, because arrays are to be writable.
    return StateUnpickler(bytes(parts[0]), main, [bytearray(part) for part in parts[1:]]).load()


class StateUnpickler(pickle.Unpickler):
    """Gives functions of steps the namespace of the context as their globals."""

    def __init__(self, data, main, buffers):
        super().__init__(io.BytesIO(data), buffers=buffers)
        self._main = main
        self._found = {}

    def persistent_load(self, name):
        if name not in self._found:
            self._found[name] = _not_a_number(name) if name.startswith('nan ') else shared_object(name)
        return self._found[name]

    def find_class(self, module, name):
        found = super().find_class(module, name)
        if not module.startswith('cloudpickle'):
            return found
        if name == '_make_function':
            return self._making(found)
        if name == '_make_skeleton_class':
            return _making_class(found)
        if name == '_make_skeleton_enum':
            return _making_enum(found)
        return found

    def _making(self, make):
        main = self._main

        def make_function(code, base_globals, name, argdefs, closure, *rest):
            if base_globals is None or base_globals.get('__name__') != '__main__':
                return make(code, base_globals, name, argdefs, closure, *rest)
            return types.FunctionType(code, main, name, argdefs, closure)

        return make_function


def _not_a_number(name):
    return struct.unpack('<d', bytes.fromhex(name.split(' ')[1]))[0]


def _making_class(make):
    def make_class(constructor, name, bases, *rest):
        with without_hooks(constructor, bases):
            return make(constructor, name, bases, *rest)

    return make_class


def _making_enum(make):
    def make_enum(bases, *rest):
        enumerations = [base for base in bases if isinstance(base, enum.EnumMeta)]
        with without_hooks(type(bases[-1]), enumerations, of_bases=('__init_subclass__', '__init__', '__new_member__')):
            return make(bases, *rest)

    return make_enum
