"""Saves and recovers the state of the context. Everything else of this folder is loaded when it is first needed."""

from . import forked
from .step_sources import StepSources
from .surroundings import Surroundings


class State:
    def __init__(self, namespace, symbols, context):
        self._namespace = namespace
        self._symbols = symbols
        # Steps run in it, and libraries keep some of their settings there.
        self._context = context
        self._sources = StepSources()
        self._surroundings = Surroundings()

    def snapshot(self, request):
        from .snapshot import take_snapshot

        forked.reap()
        self._context.run(take_snapshot, request, self._namespace, self._symbols.defined(), self._surroundings, self._sources)

    def recover(self, folder, timeout_ms):
        with self._surroundings.first_search_path():
            # Archives name functions of the pickler.
            from . import pickler  # noqa: F401
            from .recover import recover

        return self._context.run(recover, folder, timeout_ms, self._namespace, self._sources)
