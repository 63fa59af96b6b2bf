"""Saves and recovers the state of the context. Almost everything else of this folder is loaded when it is first needed."""

from . import forked
from .step_sources import StepSources
from .surroundings import Surroundings


class State:
    """`context` has the context variables of steps, some of which are settings of modules."""

    def __init__(self, namespace, context, symbols, loop, set_attributes):
        self._namespace = namespace
        self._context = context
        self._symbols = symbols
        self._loop = loop
        self._set_attributes = set_attributes
        self._sources = StepSources()
        self._surroundings = Surroundings()

    def snapshot(self, request):
        from .beside.running_code import running_code
        from .snapshot import Contents, load_for_saving, take_snapshot

        forked.reap()
        load_for_saving(self._surroundings)
        running = running_code(self._loop)
        contents = Contents(self._namespace, self._symbols.defined(), self._surroundings, self._set_attributes, running, self._sources)
        self._context.run(take_snapshot, request, contents)

    def recover(self, folder, timeout_ms):
        with self._surroundings.first_search_path():
            # Archives name functions of the pickler.
            from . import pickler  # noqa: F401
            from .recover import recover

        return self._context.run(recover, folder, timeout_ms, self._namespace, self._sources, self._set_attributes)
