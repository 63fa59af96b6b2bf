"""SIGINT becomes KeyboardInterrupt in the step for which it came, and is ignored where none runs."""

import select
import signal

_idle, _starting, _running, _ending = range(4)

_state = _idle
_came = False
_channel_fd = None


def install(channel_fd=None):
    """Takes the signal, back from whoever has it."""
    global _channel_fd
    _channel_fd = channel_fd or _channel_fd
    if signal.getsignal(signal.SIGINT) is not _on_signal:
        signal.signal(signal.SIGINT, _on_signal)


def expect():
    """A step has arrived, and its code is about to run."""
    global _state
    _state = _starting


def arm():
    """The step's code begins. Raises KeyboardInterrupt where the signal was faster than the step."""
    global _state
    _state = _running
    deferred.pending = False
    if _came:
        raise KeyboardInterrupt


def disarm():
    """The step's code has ended."""
    global _state
    _state = _ending


def rest():
    """The step is over."""
    global _state, _came
    _came = False
    _state = _idle


def answered(has_received):
    """A request that is no step was read. Where a step has come right behind it, an interrupt may be for that one."""
    global _state
    if has_received:
        _state = _starting
    elif select.select([_channel_fd], [], [], 0)[0]:
        _state = _idle
    else:
        rest()


def came():
    """Whether the signal has come for this step."""
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
            if _state == _running:
                raise KeyboardInterrupt


deferred = _Deferred()


def _on_signal(_number, _frame):
    global _came
    if _state == _running:
        _came = True
        if deferred.depth:
            deferred.pending = True
        else:
            raise KeyboardInterrupt
    elif _state == _starting or (_state == _idle and select.select([_channel_fd], [], [], 0)[0]):
        # The step is on its way: the agent interrupts only what it has sent.
        _came = True
