"""Gives the context the state of a snapshot and of the steps after it."""

import os
import sys

from .later.later_steps import LaterSteps
from .load_names import Loaded, load_names
from .loading_guard import LoadingGuard
from .short_texts import characters_max, first_names, first_reasons, shortened



def recover(folder, timeout_ms, main, sources, set_attributes):
    """Returns the report. `folder` is described in languages/README.md, under *State*."""
    with _Silence():
        loaded = Loaded()
        archive = os.path.join(folder, 'archive')
        if os.path.exists(archive):
            with open(archive, 'rb') as file:
                loaded = load_names(file.read(), main, sources, LoadingGuard(folder, timeout_ms / 1000))
        later = LaterSteps(main, loaded, sources.generation, set_attributes, folder)
        later.go_through(_steps_in(folder))
    return _bounded(later.report())


def _steps_in(folder):
    with open(os.path.join(folder, 'steps')) as lines:
        for number, line in enumerate(lines, 1):
            step_id, status, replay = line.split()
            with open(os.path.join(folder, 'code-%d' % number), encoding='utf-8', errors='surrogatepass', newline='') as code:
                yield {'stepId': step_id, 'status': status, 'replay': replay == '1', 'code': code.read()}


def _bounded(report):
    for names in ('restored', 'replayed'):
        report[names] = [shortened(name, characters_max) for name in first_names(report[names])]
    report['lost'] = [{key: shortened(text, characters_max) for key, text in one.items()} for one in first_reasons(report['lost'])]
    return report


def _show_nothing(_value):
    pass


class _Silence:
    """Sends what replayed code writes to nowhere."""

    def __enter__(self):
        self._streams = sys.stdout, sys.stderr, sys.displayhook
        self._null = open(os.devnull, 'w')
        sys.stdout = sys.stderr = self._null
        sys.displayhook = _show_nothing
        self._copies = [os.dup(fd) for fd in (1, 2)]
        for fd in (1, 2):
            os.dup2(self._null.fileno(), fd)

    def __exit__(self, *_error):
        for fd, copy in zip((1, 2), self._copies):
            os.dup2(copy, fd)
            os.close(copy)
        sys.stdout, sys.stderr, displayhook = self._streams
        # IPython's shell sets its own when it opens.
        if sys.displayhook is _show_nothing:
            sys.displayhook = displayhook
        self._null.close()
