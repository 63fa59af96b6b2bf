"""SIGINT becomes KeyboardInterrupt in the step for which it came, and is ignored where none runs.

It breaks the user's code and never our own bookkeeping: a signal that finds the main thread in one of `protect`'s modules is sent
once more by the flusher, until it finds the thread elsewhere or the step has ended.
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
_open_codes = set()
_cancel = None


def install(channel_fd=None):
    """Takes the signal, back from whoever has it. Called by the main thread alone."""
    global _channel_fd, _main
    _channel_fd = channel_fd or _channel_fd
    _main = _thread.get_ident()
    if signal.getsignal(signal.SIGINT) is not _on_signal:
        signal.signal(signal.SIGINT, _on_signal)


def protect(*files):
    """No interrupt breaks what runs in these source files, but for the functions that `is_open` marks."""
    _protected.update(files)


def is_open(function):
    """A function in a protected file in which an interrupt does no harm."""
    _open_codes.add(function.__code__)
    return function


def cancels(cancel):
    """`cancel(frame)` may stop the step in a gentler way where it runs in this frame, and tells whether it does."""
    global _cancel
    _cancel = cancel


def expect():
    """A step has arrived, and its code is about to run."""
    global _state
    _state = _starting


def arm():
    """The step's code begins. Raises KeyboardInterrupt where the signal was faster than the step."""
    global _state
    _state = _running
    if _came:
        raise KeyboardInterrupt


def disarm():
    """The step's code has ended."""
    global _state, _is_due
    _state = _ending
    _is_due = False


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


def deliver():
    """Sends a signal that found the kernel's own code at work once more. Called by the flusher."""
    global _is_due
    if _is_due:
        _is_due = False
        signal.pthread_kill(_main, signal.SIGINT)


def raise_due():
    """Raises for a signal that was put off. For protected code that is called so often that the signal might never find anything
    else, at a place where it does no harm."""
    global _is_due
    if _is_due and _state == _running and _thread.get_ident() == _main:
        _is_due = False
        raise KeyboardInterrupt


def _on_signal(_number, frame):
    global _came, _is_due
    if _state == _running:
        _came = True
        if frame is not None and frame.f_code.co_filename in _protected and frame.f_code not in _open_codes:
            _is_due = True
        elif _cancel is None or frame is None or not _cancel(frame):
            raise KeyboardInterrupt
    elif _state == _starting or (_state == _idle and select.select([_channel_fd], [], [], 0)[0]):
        # The step is on its way: the agent interrupts only what it has sent.
        _came = True


class Uninterrupted:
    """A `with` block of the main thread that no signal handler of the user's enters; what it raises comes before or after."""

    _signals = signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}

    def __enter__(self):
        self._blocked = signal.pthread_sigmask(signal.SIG_BLOCK, self._signals)

    def __exit__(self, *_error):
        signal.pthread_sigmask(signal.SIG_SETMASK, self._blocked)
