"""Turns SIGINT into KeyboardInterrupt in the step for which it came, and ignores it if no step runs.

The interrupt breaks the user's code and never the kernel's own bookkeeping: if a signal finds the main thread in a module that called
`protect`, the flusher sends it once more, until it finds the thread elsewhere or the step has ended.
"""

import _signal as signal
import _thread
import select

_idle, _starting, _running, _ending = range(4)

_state = _idle
_came = False
_is_due = False
_channel_fd = None
_main = None
_protected = set()
_interruptible_codes = set()
_cancel = None
_wake = None


def install(channel_fd=None):
    """Installs the signal handler, also if the user's code has replaced it. Only the main thread may call this."""
    global _channel_fd, _main
    _channel_fd = channel_fd or _channel_fd
    _main = _thread.get_ident()
    if signal.getsignal(signal.SIGINT) is not _on_signal:
        signal.signal(signal.SIGINT, _on_signal)


def protect(*files):
    """Protects the code in these source files from interrupts, except the functions marked with `interruptible`."""
    _protected.update(files)


def interruptible(function):
    """Marks a function in a protected file in which an interrupt does no harm."""
    _interruptible_codes.add(function.__code__)
    return function


def set_cancel(cancel):
    """Sets a gentler way to stop the step: `cancel(frame)` returns whether it stops the step that runs in this frame."""
    global _cancel
    _cancel = cancel


def set_wake(wake):
    """Sets the function that is called when a signal was put off; see `deliver`."""
    global _wake
    _wake = wake


def expect():
    """Call when a step has arrived, before its code runs."""
    global _state
    _state = _starting


def arm():
    """Call when the step's code begins. Raises KeyboardInterrupt if the signal came before."""
    global _state
    _state = _running
    if _came:
        raise KeyboardInterrupt


def disarm():
    """Call when the step's code has ended."""
    global _state, _is_due
    _state = _ending
    _is_due = False


def rest():
    """Call when the step is over."""
    global _state, _came
    _came = False
    _state = _idle


def answered(has_received):
    """Call after reading a request that does not run a step. If a step has come right behind it, an interrupt may be for that step."""
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


def deliver():
    """Repeats a signal that found the main thread in protected code. The flusher calls this."""
    global _is_due
    if _is_due:
        _is_due = False
        signal.pthread_kill(_main, signal.SIGINT)


def raise_due():
    """Raises KeyboardInterrupt for a signal that was put off.

    Protected code that runs very often calls this at a place where an interrupt does no harm, as the signal might find no other code.
    """
    global _is_due
    if _is_due and _state == _running and _thread.get_ident() == _main:
        _is_due = False
        raise KeyboardInterrupt


def _on_signal(_number, frame):
    global _came, _is_due
    if _state == _running:
        _came = True
        if frame is not None and frame.f_code.co_filename in _protected and frame.f_code not in _interruptible_codes:
            _is_due = True
            _wake()
        elif _cancel is None or frame is None or not _cancel(frame):
            raise KeyboardInterrupt
    elif _state == _starting or (_state == _idle and select.select([_channel_fd], [], [], 0)[0]):
        # The step is on its way: the agent interrupts only a step that it has sent.
        _came = True


class Uninterrupted:
    """A `with` block of the main thread in which no signal handler of the user runs. A handler runs, and may raise, before or after it."""

    _signals = signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}

    def __enter__(self):
        self._blocked = signal.pthread_sigmask(signal.SIG_BLOCK, self._signals)

    def __exit__(self, *_error):
        signal.pthread_sigmask(signal.SIG_SETMASK, self._blocked)
