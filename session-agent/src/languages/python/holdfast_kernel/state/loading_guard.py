"""Loading values runs the user's code, which can hang or end the kernel. Then the recovery goes on without them."""

import contextlib
import os
import signal
import time

_patience_seconds_min = 0.5


class TookTooLong(BaseException):
    pass


class LoadingGuard:
    """Tells the agent which part of an archive is being loaded, and knows the parts that ended earlier kernels of this recovery."""

    def __init__(self, folder, seconds):
        self._deadline = time.monotonic() + seconds
        self._is_loading = False
        self._path = os.path.join(folder, 'loading')
        self._left_out = set()
        with contextlib.suppress(FileNotFoundError), open(os.path.join(folder, 'left-out')) as places:
            self._left_out = {int(place) for place in places}

    def leaves_out(self, place):
        return place in self._left_out

    @contextlib.contextmanager
    def loads(self, place):
        """Raises TookTooLong in the block if that takes more than half of the time that is left."""
        with open(self._path, 'w') as file:
            file.write(str(place))
        before = signal.signal(signal.SIGALRM, self._on_alarm)
        self._is_loading = True
        signal.setitimer(signal.ITIMER_REAL, max(_patience_seconds_min, (self._deadline - time.monotonic()) / 2))
        try:
            yield
        finally:
            self._is_loading = False
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)

    def ends(self):
        """Call when the archive is loaded."""
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self._path)

    def _on_alarm(self, *_):
        if self._is_loading:
            raise TookTooLong('it took too long')
