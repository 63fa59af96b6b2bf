"""Saves and recovers the state of the context. Almost everything else of this folder is loaded when it is first needed."""

from . import forked
from .failed_snapshot import failed_snapshot
from .later.own_modules import OwnModules
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
        self._own_modules = OwnModules()

    def snapshot(self, request):
        bindings = self._symbols.defined()
        try:
            self._take_snapshot(request, bindings)
        except Exception as error:
            # Code has replaced something that the kernel itself needs.
            failed_snapshot(request['path'], bindings, error)

    def _take_snapshot(self, request, bindings):
        from .beside.running_code import running_code
        from .snapshot import Contents, load_for_saving, take_snapshot

        forked.reap()
        load_for_saving(self._surroundings)
        running = running_code(self._loop)
        own_modules = self._own_modules.now()
        contents = Contents(self._namespace, bindings, self._surroundings, self._set_attributes, own_modules, running, self._sources)
        self._context.run(take_snapshot, request, contents)

    def recover(self, folder, timeout_ms):
        with self._surroundings.first_search_path():
            # Archives name functions of the pickler.
            from . import pickler  # noqa: F401
            from .recover import recover

        return self._context.run(recover, folder, timeout_ms, self._namespace, self._sources, self._set_attributes)
