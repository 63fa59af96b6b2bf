"""Takes a snapshot in a forked child, so that the context goes on meanwhile."""

import gc
import importlib
import os
import sys
import time

from . import forked
from .archive import ArchiveWriter
from .failed_snapshot import interpreter, manifest_of_failed, write_all, write_failed
from .quiet_child import become_quiet
from .surroundings import pickled_states, random_states


# Loaded in this order, so that no single one takes long.
_to_load = ['logging', 'inspect', 'typing_extensions', 'platform', 'uuid', 'pickle', 'cloudpickle']
_to_load += ['holdfast_kernel.state.attempts', 'holdfast_kernel.state.save_names']
_to_load += ['holdfast_kernel.state.beside.beside_names', 'holdfast_kernel.state.beside.settings', 'holdfast_kernel.state.beside.own_values']
_load_seconds = 0.005
# A larger folder is not looked through.
_entries_max = 2000
_is_first = True


class Contents:
    """All that a snapshot saves. `bindings` are the names and values that steps have defined."""

    def __init__(self, main, bindings, surroundings, set_attributes, own_modules, running, sources):
        self.main = main
        self.bindings = bindings
        self.surroundings = surroundings
        self.set_attributes = set_attributes
        self.running = running
        self.sources = sources
        self.random_states = random_states()
        self.own_modules = own_modules


class Changes:
    """The changes of modules, by steps and by the user's own modules themselves."""

    def __init__(self, contents):
        from .beside.own_values import own_values

        self.paths = contents.set_attributes.changed()
        self.own = own_values(contents.own_modules, self.paths, with_constants=True)
        saved = {one.path for one in self.own}
        self.unsaved = [path for path in self.paths if path not in saved]
        threading = sys.modules.get('threading')
        hooks = {
            '(trace function)': [sys.gettrace(), getattr(threading, '_trace_hook', None)],
            '(profile function)': [sys.getprofile(), getattr(threading, '_profile_hook', None)],
        }
        self.unsaved += [name for name, functions in hooks.items() if any(functions)]


def take_snapshot(request, contents):
    """Forks the child that writes the archive, and returns at once."""
    parent = forked.own_pid()
    pid = forked.fork()
    if pid:
        forked.add(pid)
        return
    try:
        gc.disable()
        # Code may have replaced what follows needs. The context itself stays as it is.
        changes = Changes(contents)
        if changes.paths:
            contents.set_attributes.undo(changes.paths)
        _write_archive(request, parent, contents, changes)
    except BaseException as error:
        write_failed(request['path'], contents.bindings, error)
    finally:
        forked.end_process(0)


def load_for_saving(surroundings):
    """Most of the time of a small snapshot goes into loading modules, so a kernel that is saved again loads them for all its children: a few
    milliseconds at a time, because a step may be waiting. A kernel that is saved once stays small.
    """
    global _is_first
    if not _is_first:
        _load_some(surroundings)
    _is_first = False


def _load_some(surroundings):
    end = time.monotonic() + _load_seconds
    if not _to_load or _may_be_shadowed():
        return
    with surroundings.first_search_path():
        while _to_load and time.monotonic() < end:
            try:
                importlib.import_module(_to_load.pop(0))
            except Exception:
                # It is not installed. A child that needs it says so.
                pass


def _may_be_shadowed():
    """Whether the working directory has a file that code may mean when it imports one of these modules, or those that they need."""
    names = getattr(sys, 'stdlib_module_names', None)
    if names is None:
        return True
    names = names.union(_to_load).difference(('test',))
    try:
        with os.scandir('.') as entries:
            return any(count == _entries_max or entry.name.partition('.')[0] in names for count, entry in enumerate(entries))
    except OSError:
        return True


def _write_archive(request, parent, contents, changes):
    seconds = request['timeoutMs'] / 1000
    become_quiet(parent, int(seconds) + 1)
    with contents.surroundings.first_search_path():
        import pickle  # noqa: F401

        from .attempts import in_attempts
        from .beside.beside_names import beside_names
        from .beside.settings import pickled_settings, settings_of_classes
        from .save_names import Saver
        from .short_texts import first_names, first_reasons

    # The agent waits for a while beyond the time; what is left is for the manifest.
    deadline = time.monotonic() + seconds * 0.8
    changed, states = contents.surroundings.changed(), pickled_states(contents.random_states)
    beside, changing = beside_names(contents, changes)
    known = settings_of_classes()
    bindings = [*contents.bindings, *((one.path, one.value) for one in changes.own)]
    out = os.open(request['path'], os.O_WRONLY)
    writer = ArchiveWriter(lambda data: write_all(out, data), request['bytesMax'])
    writer.record(b'S', changed)
    writer.record(b'R', {}, states)
    # A fork begins with the values of this moment; a recovery could bring back what has changed since.
    kept = {} if request['isFork'] else changing
    left_out = {place: kept[name] for place, (name, _) in enumerate(bindings) if name in kept}
    left_out.update((place, one.reason) for place, one in enumerate(changes.own, len(contents.bindings)) if one.reason)

    def save(attempt, refused):
        used = {}

        def rename(filename):
            renamed = contents.sources.renamed(filename)
            if contents.sources.is_of_earlier_kernel(renamed):
                used[renamed] = contents.sources.text(filename)
            return renamed

        settings, unsaved = pickled_settings(contents.main, rename, attempt, refused, len(bindings), known)
        saver = Saver(contents.main, rename, writer, deadline, {one.path: one.module for one in changes.own})
        saver.save(bindings, attempt, {**left_out, **refused})
        # Behind the names, because modules change some settings when they are loaded.
        saver.write_settings(settings, {**unsaved, **beside})
        writer.record(b'C', {name: text for name, text in used.items() if text is not None})
        manifest = {'format': 1, 'language': 'python', 'interpreter': interpreter}
        lists = {'saved': first_names(saver.saved), 'notSaved': first_reasons(saver.not_saved)}
        shown = len(lists['saved']) + sum(one['name'] != '*' for one in lists['notSaved'])
        omitted = len(saver.saved) + len(saver.not_saved) - shown
        writer.finish({**manifest, **lists, **({'omitted': omitted} if omitted else {})})

    cause = in_attempts(save, deadline)
    if cause:
        writer.finish(manifest_of_failed(contents.bindings, cause))
