"""Saves and recovers the state of the context. Everything else of this folder is loaded when it is first needed."""

from . import forked
from .step_sources import StepSources
from .surroundings import Surroundings


class State:
    def __init__(self, namespace, symbols, loop):
        self._namespace = namespace
        self._symbols = symbols
        self._loop = loop
        self._sources = StepSources()
        self._surroundings = Surroundings()

    def snapshot(self, request):
        from .running_code import running_code
        from .snapshot import take_snapshot

        forked.reap()
        bindings = self._symbols.defined()
        take_snapshot(request, self._namespace, bindings, self._surroundings, running_code(self._loop), self._sources)

    def recover(self, folder, timeout_ms):
        with self._surroundings.first_search_path():
            # Archives name functions of the pickler.
            from . import pickler  # noqa: F401
            from .recover import recover

        return recover(folder, timeout_ms, self._namespace, self._sources)
