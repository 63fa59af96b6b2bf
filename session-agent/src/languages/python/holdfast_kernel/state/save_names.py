"""Saves names one by one. Names that share objects are pickled together; a name that cannot be saved loses only itself."""

import re
import time
import types

from .groups import Groups
from .pickler import pickled
from .sharing import Sharing
from .short_texts import characters_max, message_of, shortened, utf16_length

_cannot = re.compile(r"cannot (?:pickle|serialize) '?([\w.]+)'?")
# A pickle up to this size is kept until it is known whether its name shares objects with others.
_kept_bytes_max = 1 << 20
_reason_characters_max = 300
too_long = 'its name is longer than %d characters' % characters_max


class Saver:
    """Saves into an archive until `deadline` (time.monotonic). `modules` has the modules of names that are paths of parts of these."""

    def __init__(self, main, rename, writer, deadline, modules):
        self._main = main
        self._rename = rename
        self._writer = writer
        self._deadline = deadline
        self._modules = modules
        self.saved = []
        self.not_saved = []

    def save(self, bindings, attempt, refused):
        """`refused` has, by the places of the names, why some are left out; `attempt` is told the place of the next one."""
        together, sharing, kept = Groups(), Sharing(self._main), {}
        owners, values = {}, dict(bindings)
        alive = []
        for place, (name, value) in enumerate(bindings):
            attempt.begins(place)
            reason = refused.get(place) or (too_long if utf16_length(name) > characters_max else None)
            if reason:
                self._refuse(name, reason)
                continue
            met = self._try(name, value, kept, sharing)
            attempt.refuse_fork()
            if met is None:
                continue
            # The objects stay alive, so that no other object gets the id of one of them.
            alive.append(met)
            together.add(name)
            for key in met:
                together.join(owners.setdefault(key, name), name)
        attempt.writes()
        for names in together.all():
            attempt.refuse_fork()
            self._write(names, values, kept, sharing)

    def write_settings(self, settings, unsaved):
        """Writes pickles of settings by their names. `unsaved` has the reasons for others."""
        for name, (stream, buffers) in settings.items():
            sizes = [len(stream), *(buffer.nbytes for buffer in buffers)]
            if self._writer.fits(sum(sizes)):
                self._writer.record(b'O', {'name': name, 'sizes': sizes}, stream, *buffers)
            else:
                self._refuse(name, 'the snapshot would be too large')
        for name, reason in unsaved.items():
            self._refuse(name, reason)

    def _try(self, name, value, kept, sharing):
        """Returns the objects that were met, or None if the name cannot be saved."""
        if time.monotonic() > self._deadline:
            self._refuse(name, 'the time for the snapshot was over')
            return None
        try:
            stream, buffers, met = pickled({name: value}, self._main, self._rename)
            sharing.add(name, value)
        except BaseException as error:
            self._refuse(name, reason_of(error, value))
            return None
        if len(stream) <= _kept_bytes_max:
            kept[name] = (stream, buffers)
        return met

    def _write(self, names, values, kept, sharing):
        try:
            if len(names) == 1 and names[0] in kept:
                stream, buffers = kept.pop(names[0])
            else:
                stream, buffers, _ = pickled({name: values[name] for name in names}, self._main, self._rename)
            sizes = [len(stream), *(buffer.nbytes for buffer in buffers)]
            if not self._writer.fits(sum(sizes)):
                raise ValueError('the snapshot would be too large')
        except BaseException as error:
            for name in names:
                self._refuse(name, reason_of(error, values[name]))
            return
        shares = {name: sharing.together.of(name) for name in names}
        users = {name: sorted(sharing.users.get(name, ())) for name in names}
        modules = {name: self._modules[name] for name in names if name in self._modules}
        header = {'sizes': sizes, 'shares': shares, 'users': users, 'modules': modules}
        self._writer.record(b'G', header, stream, *buffers)
        self.saved += [{'name': name, 'kind': kind_of(values[name])} for name in names if name not in modules]

    def _refuse(self, name, reason):
        self.not_saved.append({'name': shortened(name, characters_max), 'reason': shortened(reason, _reason_characters_max)})


def reason_of(error, value):
    message = message_of(error)
    found = _cannot.search(message)
    if not found:
        text = message if isinstance(error, (ValueError, TypeError)) or type(error).__name__ == 'MissingLibrary' else ''
        return text or '%s: %s' % (type(error).__name__, message)
    kind = found[1].rpartition('.')[2]
    if kind == type(value).__name__:
        return 'a value of type %s cannot be saved' % kind
    return 'it contains a value of type %s, which cannot be saved' % kind


def kind_of(value):
    if isinstance(value, types.ModuleType):
        return 'import'
    if isinstance(value, (type, types.FunctionType, types.BuiltinFunctionType)):
        if getattr(value, '__module__', None) != '__main__':
            return 'import'
        return 'class' if isinstance(value, type) else 'function'
    return 'variable'
