"""SIGINT becomes KeyboardInterrupt while a step's own code runs, and is ignored otherwise."""

import signal

_armed = False
_came = False


def install():
    """Takes the signal, back from whoever has it."""
    if signal.getsignal(signal.SIGINT) is not _on_signal:
        signal.signal(signal.SIGINT, _on_signal)


def arm():
    global _armed, _came
    _came = False
    deferred.pending = False
    _armed = True


def disarm():
    global _armed
    _armed = False


def came():
    """Whether a signal has come since the last `arm`."""
    return _came


class _Deferred:
    """A `with` block of the main thread that no interrupt breaks; one that comes meanwhile is raised at its end."""

    depth = 0
    pending = False

    def __enter__(self):
        self.depth += 1

    def __exit__(self, *_error):
        self.depth -= 1
        if self.pending and self.depth == 0:
            self.pending = False
            if _armed:
                raise KeyboardInterrupt


deferred = _Deferred()


def _on_signal(_number, _frame):
    global _came
    if not _armed:
        return
    _came = True
    if deferred.depth:
        deferred.pending = True
    else:
        raise KeyboardInterrupt
