"""Sends output while a step runs: a thread flushes the streams about every 5 ms, at no cost to the code that prints.

It sleeps when there is nothing to do. A write, late output or an interrupt that was put off wakes it, so a step that prints nothing never does.
"""

import _thread
from time import monotonic, sleep

from ..agent import interrupt
from . import late_output

period_seconds = 0.005

interrupt.protect(__file__)


class Flusher:
    def __init__(self, streams):
        self._streams = streams
        self._is_due = True
        self._woken_at = 0
        self._is_parked = False
        self._parked = _thread.allocate_lock()
        self._parked.acquire()
        for waker in (streams, late_output, interrupt):
            waker.set_wake(self.wake)
        # Signals are for the main thread alone, so the new thread starts with all of them blocked.
        with interrupt.Uninterrupted():
            _thread.start_new_thread(self._run, ())

    def wake(self):
        """Starts at least one more round. Any thread may call this, and so may a signal handler in the middle of another call."""
        if not self._is_due:
            self._woken_at = monotonic()
            self._is_due = True
        if self._is_parked:
            try:
                self._parked.release()
            except RuntimeError:
                # Another call has released it, and the thread has not come to acquire it yet.
                pass

    def _run(self):
        while True:
            self._park()
            self._streams.unwatch_writes()
            # If the step computes without a pause, this thread has waited as long already until the interpreter let it run.
            sleep(max(0.0, self._woken_at + period_seconds - monotonic()))
            while self._look():
                sleep(period_seconds)

    def _park(self):
        # Several calls of `wake` may have released the lock once more after it woke this thread.
        self._parked.acquire(blocking=False)
        self._is_parked = True
        # A call of `wake` that comes after this line sees that it has to release the lock.
        if not self._is_due:
            self._parked.acquire()
        self._is_parked = False

    def _look(self):
        """Does what there is to do, and returns whether more is likely to come. If not, the next write calls `wake`."""
        self._is_due = False
        interrupt.deliver()
        has_written = self._streams.flush()
        late_output.send_pending()
        return has_written or not self._streams.watch_writes()
