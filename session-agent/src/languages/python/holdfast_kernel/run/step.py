"""Runs one step: compiles and runs the code, shows the last value, reports an error, ends the streams and sends `done`."""

import os
import sys

from ..agent import channel, interrupt
from ..show.describe_error import describe_error
from ..show.display import show_last, use_step
from ..show.open_figures import take_figures
from ..streams import late_output
from .compiler import Compiler
from .exit import describe_exit, exit_code_of, is_exit
from .last_error import keep_error
from .living_children import has_living_children
from .step_environment import StepEnvironment
from .step_usage import StepUsage

_co_coroutine = 0x80

interrupt.protect(__file__)


class StepRunner:
    """Runs all steps in the same `context`, so that context variables stay."""

    def __init__(self, namespace, context, streams, stdin, loop, history, symbols, notebook, set_attributes):
        self._namespace = namespace
        self._context = context
        self._streams = streams
        self._stdin = stdin
        self._loop = loop
        self._history = history
        self._symbols = symbols
        self._notebook = notebook
        self._compiler = Compiler(namespace, set_attributes)
        self._usage = StepUsage()
        self._step_id = None

    def recovered(self):
        """Call when the namespace has the state of another kernel."""
        self._compiler.adopt_features()

    def run(self, request):
        step_id = request['stepId']
        messages = []
        self._begin(request)
        status, exit_code = self._guarded(request, messages)
        if not channel.is_kernel():
            # A child that the step forked has reached the end of the step. The step is its parent's, so the child exits.
            self._streams.flush()
            os._exit(exit_code or 0)
        unmarked = self._end(request)
        cpu, memory = self._usage.take()
        done = '{"type":"done","stepId":%s,"status":"%s","cpuMs":%.3f,"memoryKb":%d' % (
            channel.encode_text(step_id),
            status,
            cpu,
            memory,
        )
        if unmarked:
            done += ',"unmarked":["%s"]' % '","'.join(unmarked)
        if exit_code is not None:
            done += ',"exitCode":%d' % exit_code
        if has_living_children():
            done += ',"late":true'
        messages.append((done + '}').encode())
        interrupt.rest()
        channel.send_encoded(b''.join(map(channel.encoded, messages)))
        self._symbols.note(step_id)

    def _begin(self, request):
        step_id = self._step_id = request['stepId']
        if 'streams' in request:
            self._streams.move(request['streams'])
        self._streams.begin_step(request['nonce'], self._is_shared())
        use_step(step_id, self._streams)
        self._stdin.begin(step_id, request.get('stdin', False))
        self._context.run(late_output.begin, step_id)

    def _end(self, request):
        """Returns the names of the streams that have no end mark."""
        self._stdin.end()
        late_output.end()
        unmarked = self._streams.end_step(request['stepId'], self._is_shared())
        use_step(None, None)
        return unmarked

    def _is_shared(self):
        """Whether code of earlier steps may write to the streams beside that of the running step."""
        return late_output.has_threads() or self._loop.is_open()

    def _guarded(self, request, messages):
        """Returns (status, exit code or None). Also catches interrupts that come outside of the user's code."""
        interrupt.install()
        try:
            try:
                interrupt.arm()
                if request.get('env'):
                    with StepEnvironment(request['env']):
                        self._run_code(request, messages)
                else:
                    self._run_code(request, messages)
                return 'succeeded', None
            except SystemExit as exit:
                return self._exited(exit, messages)
            except BaseException as error:
                # Describing an exception runs the user's code as well, which an interrupt may have to stop.
                status = self._failed(error, messages)
                if self._notebook.wants_debugger():
                    self._send_now(messages)
                    self._context.run(self._notebook.debug)
                return status, None
            finally:
                interrupt.disarm()
        except BaseException as error:
            error.__context__ = None
            return self._failed(error, messages), None

    def _exited(self, exit, messages):
        exit_code = exit_code_of(exit)
        if exit_code == 0:
            return 'succeeded', 0
        messages.append({'type': 'error', 'stepId': self._step_id, **describe_exit(exit, exit_code)})
        return 'failed', exit_code

    def _failed(self, error, messages):
        keep_error(error)
        if not self._context.run(self._notebook.shows, error):
            messages.append({'type': 'error', 'stepId': self._step_id, **describe_error(error)})
        return 'interrupted' if interrupt.came() and _comes_of_interrupt(error) else 'failed'

    def _run_code(self, request, messages):
        is_silent = 'silent' in request
        self._notebook.begin(request['number'], None if 'comm' in request else request['code'], is_silent)
        try:
            if 'comm' in request:
                self._handle_message(request['comm'])
            else:
                self._run_and_show(request, messages)
        finally:
            if self._notebook.has_shell():
                self._send_now(messages)
                self._context.run(self._notebook.end, sys.exc_info()[1])
            else:
                messages.extend(take_figures())
            self._streams.flush_replaced()
        self._notebook.raise_shown()
        if 'expressions' in request:
            self._send_now(messages)
            self._evaluate(request['expressions'], messages)

    def _run_and_show(self, request, messages):
        filename = '<step %d>' % request['number']
        codes, shows_value, python = self._compiler.compile(request['code'], filename)
        try:
            self._notebook.compiled(python, self._compiler.future_flags())
            value = self._run_codes(codes, python)
        finally:
            self._compiler.ran(filename, codes, python)
        if shows_value and value is not None:
            if is_exit(value):
                raise SystemExit
            if 'silent' not in request:
                self._history.note(request['number'], value)
            self._context.run(show_last, value, messages)

    def _run_codes(self, codes, python):
        # Without these letters, it neither awaits nor uses asyncio.
        may_await = 'async' in python or 'await' in python
        if may_await and any(code.co_flags & _co_coroutine for code in codes):
            return self._run_awaiting(codes)
        if self._loop.is_open() or (may_await and any('asyncio' in code.co_names for code in codes)):
            return self._loop.run_beside(self._run_plain, codes)
        return self._context.run(self._run_plain, codes)

    def _evaluate(self, expressions, messages):
        from .expressions import evaluate

        run = self._loop.run_beside if self._loop.is_open() else self._context.run
        for name, code in expressions.items():
            value = run(evaluate, code, self._namespace)
            messages.append({'type': 'expression', 'stepId': self._step_id, 'name': name, 'value': value})

    def _handle_message(self, message):
        from ..comms.handle_message import handle_message

        run = self._loop.run_beside if self._loop.is_open() else self._context.run
        run(handle_message, message, self._step_id)

    def _send_now(self, messages):
        """Sends messages before more output or results can come, and not with the end of the step."""
        for message in messages:
            self._streams.send_in_order(message)
        messages.clear()

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


def _comes_of_interrupt(error):
    if issubclass(type(error), KeyboardInterrupt):
        return True
    # Magics such as `%%bash` report that their program has been interrupted.
    subprocess = sys.modules.get('subprocess')
    return subprocess is not None and issubclass(type(error), subprocess.CalledProcessError)
