"""Makes output stream: what code has printed goes out about every 5 ms, at no cost to the printing code."""

import _thread
import signal
import time

period_seconds = 0.005
idle_rounds_max = 200


class Flusher:
    def __init__(self, streams):
        self._streams = streams
        self._active = False
        self._is_parked = False
        self._parked = _thread.allocate_lock()
        self._parked.acquire()
        # SIGINT is for the main thread alone, so the new thread is born with it blocked.
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        _thread.start_new_thread(self._run, ())
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})

    def start(self):
        self._active = True
        if self._is_parked:
            self._is_parked = False
            if self._parked.locked():
                self._parked.release()

    def stop(self):
        self._active = False

    def _run(self):
        idle_rounds = 0
        while True:
            # The rounds go on for a while after a step: to wake a parked thread would cost every short step a switch.
            idle_rounds = 0 if self._active else idle_rounds + 1
            if idle_rounds > idle_rounds_max and _thread._count() <= 1:
                idle_rounds = 0
                self._park()
            time.sleep(period_seconds)
            self._streams.flush()

    def _park(self):
        self._is_parked = True
        if self._active:
            self._is_parked = False
        else:
            self._parked.acquire()
