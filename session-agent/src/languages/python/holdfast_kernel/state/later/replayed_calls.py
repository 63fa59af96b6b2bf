"""Tells the session-agent which step runs again, so that its calls of operations get the answers that they got before."""

import contextlib
import os


class ReplayedCalls:
    def __init__(self, folder):
        self._running = os.path.join(folder, 'running')
        self._refused = os.path.join(folder, 'refused')

    def begin(self, step_id):
        with open(self._running, 'w') as file:
            file.write(step_id)

    def end(self):
        """Returns why a call of the step had no answer, or None."""
        # Code may have deleted it.
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self._running)
        try:
            with open(self._refused, encoding='utf-8') as file:
                return file.read()
        except FileNotFoundError:
            return None
