"""Runs the kernel: announces it, then answers one request after the other until the agent is gone."""

import builtins
import os
import sys
from _contextvars import copy_context
from types import ModuleType

import holdfast

from .agent import channel, interrupt, lifeline, programs
from .agent.subreaper import adopt_orphans
from .editor.symbols import Symbols
from .notebook.history import History
from .notebook.imports import import_as_in_notebooks
from .notebook.notebook_steps import NotebookSteps
from .notebook.plot_backend import choose_backend, show_with_agg
from .run.event_loop import EventLoop
from .run.living_children import watch_children
from .run.step import StepRunner
from .state.beside.set_attributes import SetAttributes
from .state.state import State
from .streams import late_output
from .streams.asked_input import AskedInput
from .streams.flusher import Flusher
from .streams.output_streams import OutputStreams

failures_max = 100


def serve():
    lifeline.hold(4)
    adopt_orphans()
    late_output.watch_threads()
    watch_children()
    streams = OutputStreams()
    interrupt.install(channel.fd)
    # A module of its own in `sys.modules`, so that pickle and inspect find the definitions of steps.
    main = ModuleType('__main__')
    main.__dict__.update(__builtins__=builtins, __annotations__={})
    sys.modules['__main__'] = main
    import_as_in_notebooks()
    # A name of Python's own, so that a step's own name of that kind comes first and no report lists ours.
    holdfast._enter()
    builtins.holdfast = holdfast
    # Its zygote may have loaded matplotlib with another environment.
    choose_backend()
    show_with_agg()
    sys.argv = ['']
    context = copy_context()
    loop = EventLoop(context)
    Flusher(streams)
    history = History(main.__dict__)
    symbols = Symbols(main.__dict__, history)
    stdin = AskedInput(streams)
    notebook = NotebookSteps(main, history, streams, stdin, context)
    set_attributes = SetAttributes(main.__dict__)
    runner = StepRunner(main.__dict__, context, streams, stdin, loop, history, symbols, notebook, set_attributes)
    state = State(main.__dict__, context, symbols, loop, set_attributes)
    programs.confine_if_told()
    channel.send({'type': 'ready', 'version': 'Python ' + sys.version.split()[0]})
    while True:
        request = _next_request(loop)
        if request['type'] == 'execute':
            runner.run(request)
        else:
            interrupt.answered(channel.has_received())
            _answer(request, main.__dict__, symbols, state, runner)


def _next_request(loop):
    for _ in range(failures_max):
        try:
            if loop.has_tasks() and not channel.has_received():
                loop.run_until_readable(channel.fd)
            request = channel.receive()
        except SystemExit:
            # A signal handler of the user's code exits, and no step runs that it could end.
            continue
        except Exception:
            # Only a signal handler of the user's code raises here, and no step runs that it could fail.
            sys.__excepthook__(*sys.exc_info())
            continue
        if request is not None:
            return request
        os._exit(0)
    raise RuntimeError('no request can be read any more')


def _answer(request, namespace, symbols, state, runner):
    if request['type'] == 'symbols':
        channel.send({'type': 'symbols', 'id': request['id'], 'symbols': symbols.describe()})
    elif request['type'] == 'complete':
        from .editor.completion import complete

        found = complete(namespace, request['code'], request['cursor'])
        channel.send({'type': 'completions', 'id': request['id'], **found})
    elif request['type'] == 'inspect':
        from .editor.inspection import inspect_at

        found = inspect_at(namespace, request['code'], request['cursor'])
        channel.send({'type': 'inspection', 'id': request['id'], **found})
    elif request['type'] == 'parse':
        from .editor.completeness import completeness

        channel.send({'type': 'parsed', 'id': request['id'], **completeness(request['code'])})
    elif request['type'] == 'snapshot':
        state.snapshot(request)
        channel.send({'type': 'snapshot', 'id': request['id']})
    elif request['type'] == 'recover':
        report = state.recover(request['folder'], request['timeoutMs'])
        runner.recovered()
        channel.send({'type': 'recovered', 'id': request['id'], **report})
