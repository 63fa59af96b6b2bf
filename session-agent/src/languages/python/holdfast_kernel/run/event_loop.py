"""The event loop of top-level await. It lives from step to step, so that objects bound to it stay usable.

Once a step has mentioned asyncio, it and all later steps find the loop running, as in `python -m asyncio` and in Jupyter, so that
they can make tasks without awaiting anything. Unlike there, `asyncio.run` and `loop.run_until_complete` still work in a step.
"""

import sys
from _contextvars import copy_context

from ..agent import interrupt
from ..streams import late_output

_waiting_modules = ('asyncio', 'selectors')

interrupt.protect(__file__)


class EventLoop:
    """`context` holds the values of context variables from step to step."""

    def __init__(self, context):
        self._context = context
        self._loop = None
        self._task = None

    def is_open(self):
        return self._loop is not None and not self._loop.is_closed()

    def run(self, main):
        """Runs the coroutine function `main` to its end and returns its value. An interrupt cancels it first."""
        self.open()
        task = self._task = self._create_task(self._carrying(main))
        interrupt.set_cancel(self._cancel)
        try:
            while True:
                try:
                    return self._loop.run_until_complete(task)
                except SystemExit as exit:
                    # An exit of an earlier step's task or timer ends that code alone.
                    if task.done() or not _is_of_earlier_step(exit):
                        raise
        except KeyboardInterrupt:
            if not task.done():
                task.cancel()
                self._settle(task)
            raise
        except sys.modules['asyncio'].CancelledError:
            # Cancelled before the code began, so the traceback has only the kernel's own frames.
            if interrupt.came():
                raise KeyboardInterrupt from None
            raise
        finally:
            interrupt.set_cancel(None)
            self._task = None

    def run_beside(self, function, *arguments):
        """Calls a function that does not await, and makes the loop seem to be running meanwhile."""
        self.open()
        events = sys.modules['asyncio.events']
        events._set_running_loop(self._loop)
        try:
            return self._context.run(function, *arguments)
        finally:
            events._set_running_loop(None)

    def has_tasks(self):
        """Whether tasks, timers or servers are left that go on between steps."""
        return bool(self.pending())

    def pending(self):
        """The tasks, timers and servers that go on between steps."""
        if not self.is_open():
            return []
        loop = self._loop
        # The first watched file is the loop's own.
        watched = list(loop._selector.get_map().values())[1:]
        return [*loop._ready, *loop._scheduled, *sys.modules['asyncio'].all_tasks(loop), *watched]

    def run_until_readable(self, fd):
        """Lets background tasks go on until `fd` has something to read."""
        readable = self._loop.create_future()
        self._loop.add_reader(fd, lambda: readable.done() or readable.set_result(None))
        try:
            while not readable.done():
                self._settle(readable)
        finally:
            self._loop.remove_reader(fd)

    def open(self):
        # Imported when it is first needed, because it takes more memory than the rest of the kernel.
        import asyncio

        from .step_loop import new_step_loop

        if not self.is_open():
            self._loop = new_step_loop()
        asyncio.set_event_loop(self._loop)

    def _create_task(self, coroutine):
        if sys.version_info >= (3, 11):
            return self._loop.create_task(coroutine, context=self._context)
        return self._context.run(self._loop.create_task, coroutine)

    async def _carrying(self, main):
        try:
            return await main()
        finally:
            if sys.version_info < (3, 11):
                self._carry(copy_context())

    def _carry(self, context):
        """Copies the values that a task has set in its copy of the context back into the context."""
        for variable, value in context.items():
            if self._context.get(variable) is not value:
                self._context.run(variable.set, value)

    def _cancel(self, frame):
        """Cancels the step if the interrupt finds the loop's own code running, whose state an exception could corrupt."""
        name = frame.f_globals.get('__name__')
        if type(name) is not str or name.partition('.')[0] not in _waiting_modules or not self._loop.is_running():
            return False
        self._task.cancel()
        self._loop.call_soon_threadsafe(lambda: None)
        return True

    def _settle(self, future):
        # An exception of a background callback is not this step's, and an exit of one ends that callback alone.
        try:
            self._loop.run_until_complete(future)
        except BaseException:
            pass


def _is_of_earlier_step(exit):
    """Whether the callback of the loop that raised this exception was made by a step that has ended."""
    handle_run = sys.modules['asyncio.events'].Handle._run.__code__
    trace = exit.__traceback__
    while trace is not None and trace.tb_frame.f_code is not handle_run:
        trace = trace.tb_next
    return trace is not None and late_output.is_of_earlier_step(trace.tb_frame.f_locals['self']._context)
