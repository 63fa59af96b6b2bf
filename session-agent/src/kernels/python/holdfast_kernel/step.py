"""Runs one step: compile, run, show the last value, report an error, end the streams, say that it is done."""

import os
import sys

from . import channel, interrupt
from .compiler import Compiler
from .display import bundle, use_step
from .errors import describe_error
from .figures import take_figures

_co_coroutine = 0x80


class StepRunner:
    def __init__(self, namespace, streams, flusher, loop, symbols):
        self._namespace = namespace
        self._streams = streams
        self._flusher = flusher
        self._loop = loop
        self._symbols = symbols
        self._compiler = Compiler()
        self._pid = os.getpid()

    def run(self, request):
        step_id = request['stepId']
        messages = []
        use_step(step_id, self._streams)
        self._flusher.start()
        status, exit_code = self._guarded(request, messages)
        self._flusher.stop()
        if os.getpid() != self._pid:
            # A child that the step forked has come to the end of the step: the step is its parent's.
            self._streams.flush()
            os._exit(exit_code or 0)
        if exit_code is not None:
            _leave(exit_code, self._streams)
        self._streams.end_step(request['nonce'])
        use_step(None, None)
        messages.append({'type': 'done', 'stepId': step_id, 'status': status})
        interrupt.rest()
        channel.send(*messages)
        self._symbols.note(step_id)

    def _guarded(self, request, messages):
        """Returns (status, exit code or None); interrupts that come between the lines end here at the latest."""
        interrupt.install()
        try:
            try:
                interrupt.arm()
                self._run_code(request, messages)
                return 'succeeded', None
            finally:
                interrupt.disarm()
        except SystemExit as exit:
            interrupt.disarm()
            return 'failed', _exit_code(exit)
        except BaseException as error:
            interrupt.disarm()
            interrupted = isinstance(error, KeyboardInterrupt) and interrupt.came()
            messages.append({'type': 'error', 'stepId': request['stepId'], **describe_error(error)})
            return ('interrupted' if interrupted else 'failed'), None

    def _run_code(self, request, messages):
        try:
            codes, shows_value = self._compiler.compile(request['code'], '<step %d>' % request['number'])
            if any(code.co_flags & _co_coroutine for code in codes):
                value = self._loop.run(self._run_awaiting(codes))
            else:
                for code in codes:
                    value = eval(code, self._namespace)
            if shows_value and value is not None:
                messages.append(bundle(value, is_main=True))
        finally:
            for figure in take_figures():
                messages.append(figure)

    async def _run_awaiting(self, codes):
        # All of the step and not only its awaiting part, so that code before the first await finds the loop running too.
        for code in codes:
            value = eval(code, self._namespace)
            if code.co_flags & _co_coroutine:
                value = await value
        return value


def _exit_code(exit):
    """The process's exit code for a SystemExit, as CPython computes it; any other value goes to stderr."""
    if exit.code is None:
        return 0
    if isinstance(exit.code, int):
        return exit.code & 0xFF
    print(exit.code, file=sys.stderr)
    return 1


def _leave(exit_code, streams):
    """Ends the kernel. Threads that still run are not waited for, so that the end is prompt."""
    import atexit

    atexit._run_exitfuncs()
    streams.flush()
    os._exit(exit_code)
