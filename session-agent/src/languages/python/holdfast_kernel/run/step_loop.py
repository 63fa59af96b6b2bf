"""Makes asyncio's loops and `asyncio.run` work inside a step, in which a loop runs or seems to run."""

import asyncio
import functools
from asyncio import events, tasks

from ..agent import interrupt

interrupt.protect(__file__)

_run = asyncio.run
# New in Python 3.11.
_runner_run = hasattr(asyncio, 'Runner') and asyncio.Runner.run
_new_event_loop = asyncio.new_event_loop


def new_step_loop():
    if asyncio.run is _run:
        asyncio.run = asyncio.runners.run = run
        if _runner_run:
            asyncio.Runner.run = runner_run
    if asyncio.new_event_loop is _new_event_loop:
        asyncio.new_event_loop = events.new_event_loop = new_event_loop
    return _StepLoop()


@functools.wraps(_new_event_loop)
def new_event_loop():
    loop = _new_event_loop()
    if type(loop) is asyncio.SelectorEventLoop:
        loop.__class__ = _StepLoop
    return loop


@functools.wraps(_run)
def run(*arguments, **options):
    with _Outside():
        return _run(*arguments, **options)


def runner_run(*arguments, **options):
    with _Outside():
        return _runner_run(*arguments, **options)


class _StepLoop(asyncio.SelectorEventLoop):
    def run_forever(self):
        with _Outside(self):
            super().run_forever()

    def run_until_complete(self, future):
        with _Outside(self):
            return super().run_until_complete(future)


class _Outside:
    """A `with` block in which this thread seems to run no loop, so that `inner` can run in it. `inner` cannot run inside itself."""

    def __init__(self, inner=None):
        self._inner = inner

    def __enter__(self):
        self._loop = events._get_running_loop()
        self._task = None
        if self._loop is None or not isinstance(self._loop, _StepLoop) or self._refuses():
            self._loop = None
            return
        self._task = asyncio.current_task(self._loop)
        if self._task:
            tasks._leave_task(self._loop, self._task)
        events._set_running_loop(None)

    def __exit__(self, *_error):
        if self._loop is None:
            return
        events._set_running_loop(self._loop)
        if self._task:
            tasks._enter_task(self._loop, self._task)

    def _refuses(self):
        return self._loop is self._inner and self._loop.is_running()
