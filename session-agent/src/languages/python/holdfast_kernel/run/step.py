"""Runs one step: compiles and runs the code, shows the last value, reports an error, ends the streams and sends `done`."""

import builtins
import os
import sys

from ..agent import channel, interrupt
from ..show.describe_error import describe_error
from ..show.display import show_last, use_step
from ..show.open_figures import take_figures
from ..streams import late_output
from .compiler import Compiler
from .exit import exit_code_of, leave
from .living_children import has_living_children
from .step_environment import StepEnvironment

_co_coroutine = 0x80

interrupt.protect(__file__)


class StepRunner:
    """Runs all steps in the same `context`, so that context variables stay."""

    def __init__(self, namespace, context, streams, stdin, flusher, loop, history, symbols):
        self._namespace = namespace
        self._context = context
        self._streams = streams
        self._stdin = stdin
        self._flusher = flusher
        self._loop = loop
        self._history = history
        self._symbols = symbols
        self._compiler = Compiler(self._use_commands)
        self._step_id = None

    def run(self, request):
        step_id = request['stepId']
        messages = []
        self._begin(request)
        status, exit_code = self._guarded(request, messages)
        self._flusher.stop()
        if not channel.is_kernel():
            # A child that the step forked has reached the end of the step. The step is its parent's, so the child exits.
            self._streams.flush()
            os._exit(exit_code or 0)
        if exit_code is not None:
            leave(exit_code, self._streams)
        self._end(request)
        messages.append({'type': 'done', 'stepId': step_id, 'status': status})
        if has_living_children():
            messages[-1]['late'] = True
        interrupt.rest()
        channel.send(*messages)
        self._symbols.note(step_id)

    def _begin(self, request):
        step_id = self._step_id = request['stepId']
        if 'streams' in request:
            self._streams.move(request['streams'])
        self._streams.begin_step()
        use_step(step_id, self._streams)
        self._stdin.begin(step_id, request.get('stdin', False))
        self._context.run(late_output.begin, step_id)
        self._streams.attribute(late_output.has_threads() or self._loop.is_open())
        self._flusher.start()

    def _end(self, request):
        self._stdin.end()
        late_output.end()
        self._streams.attribute(True)
        self._streams.end_step(request['stepId'], request['nonce'])
        use_step(None, None)

    def _guarded(self, request, messages):
        """Returns (status, exit code or None). Also catches interrupts that come outside of the user's code."""
        interrupt.install()
        try:
            try:
                interrupt.arm()
                with StepEnvironment(request.get('env', ())):
                    self._run_code(request, messages)
                return 'succeeded', None
            except SystemExit:
                raise
            except BaseException as error:
                # Describing an exception runs the user's code as well, which an interrupt may have to stop.
                return self._failed(error, messages), None
            finally:
                interrupt.disarm()
        except SystemExit as exit:
            return 'failed', exit_code_of(exit)
        except BaseException as error:
            error.__context__ = None
            return self._failed(error, messages), None

    def _failed(self, error, messages):
        messages.append({'type': 'error', 'stepId': self._step_id, **describe_error(error)})
        return 'interrupted' if issubclass(type(error), KeyboardInterrupt) and interrupt.came() else 'failed'

    def _run_code(self, request, messages):
        try:
            codes, shows_value = self._compiler.compile(request['code'], '<step %d>' % request['number'])
            if any(code.co_flags & _co_coroutine for code in codes):
                value = self._run_awaiting(codes)
            elif self._loop.is_open() or any('asyncio' in code.co_names for code in codes):
                value = self._loop.run_beside(self._run_plain, codes)
            else:
                value = self._context.run(self._run_plain, codes)
            if shows_value and value is not None:
                self._history.note(request['number'], value)
                self._context.run(show_last, value, messages)
        finally:
            for figure in take_figures():
                messages.append(figure)
            self._streams.flush_replaced()

    def _use_commands(self):
        from ..notebook.commands import Commands

        builtins.__dict__.update(Commands(self._namespace, self._streams).names())

    def _run_plain(self, codes):
        for code in codes:
            # All in one line: a debugger that the code has left running would stop at the next line.
            value = (eval(code, self._namespace), 'bdb' in sys.modules and sys.settrace(None))[0]
        return value

    def _run_awaiting(self, codes):
        value, error = self._loop.run(lambda: self._await_all(codes))
        if error is None:
            return value
        if interrupt.came() and type(error).__name__ == 'CancelledError':
            error = KeyboardInterrupt().with_traceback(error.__traceback__)
        raise error

    async def _await_all(self, codes):
        """Returns (value, error). The error is returned, as raising it would add the frames of the loop to its traceback."""
        try:
            for code in codes:
                value = eval(code, self._namespace)
                if code.co_flags & _co_coroutine:
                    value = await value
            return value, None
        except BaseException as error:
            return None, error
