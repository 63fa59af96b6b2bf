"""The event loop of top-level await. It lives from step to step, so that what is bound to it stays usable."""

import sys


class EventLoop:
    def __init__(self):
        self._loop = None

    def run(self, coroutine):
        """Runs the coroutine to its end and returns its value. An interrupt cancels it first."""
        task = self._open().create_task(coroutine)
        try:
            return self._loop.run_until_complete(task)
        except KeyboardInterrupt:
            if not task.done():
                task.cancel()
                self._settle(task)
            raise

    def has_tasks(self):
        """Whether something is left that goes on between steps."""
        if self._loop is None or self._loop.is_closed():
            return False
        return bool(sys.modules['asyncio'].all_tasks(self._loop))

    def run_until_readable(self, fd):
        """Lets background tasks go on until `fd` has something to read."""
        readable = self._loop.create_future()
        self._loop.add_reader(fd, lambda: readable.done() or readable.set_result(None))
        try:
            while not readable.done():
                self._settle(readable)
        finally:
            self._loop.remove_reader(fd)

    def _open(self):
        # Imported where it is first needed: it weighs more than the rest of the kernel.
        import asyncio

        if self._loop is None or self._loop.is_closed():
            self._loop = asyncio.new_event_loop()
        asyncio.set_event_loop(self._loop)
        return self._loop

    def _settle(self, future):
        # What a background callback raises is not this step's; only an exit ends the kernel.
        try:
            self._loop.run_until_complete(future)
        except SystemExit:
            raise
        except BaseException:
            pass
