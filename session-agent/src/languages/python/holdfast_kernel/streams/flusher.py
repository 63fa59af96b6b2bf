"""Sends output while a step runs: a thread flushes the streams about every 5 ms, at no cost to the code that prints."""

import _thread
import time

from ..agent import interrupt
from . import late_output

period_seconds = 0.005
idle_rounds_max = 20


class Flusher:
    def __init__(self, streams):
        self._streams = streams
        self._active = False
        self._idle_rounds = 0
        self._is_parked = False
        self._parked = _thread.allocate_lock()
        self._parked.acquire()
        late_output.set_wake(self.wake)
        # Signals are for the main thread alone, so the new thread starts with all of them blocked.
        with interrupt.Uninterrupted():
            _thread.start_new_thread(self._run, ())

    def start(self):
        self._active = True
        self.wake()

    def stop(self):
        self._active = False

    def wake(self):
        """Starts at least one more round."""
        self._idle_rounds = 0
        if self._is_parked:
            self._is_parked = False
            if self._parked.locked():
                self._parked.release()

    def _run(self):
        while True:
            # The rounds go on for 100 ms after a step, because waking a parked thread would cost every short step a thread switch. Each
            # round costs about as much as a switch, so they do not go on for longer.
            self._idle_rounds = 0 if self._active else self._idle_rounds + 1
            if self._idle_rounds > idle_rounds_max:
                self._park()
            time.sleep(period_seconds)
            interrupt.deliver()
            self._streams.flush()
            late_output.send_pending()

    def _park(self):
        self._is_parked = True
        if self._active or self._idle_rounds == 0:
            self._is_parked = False
        else:
            self._parked.acquire()
