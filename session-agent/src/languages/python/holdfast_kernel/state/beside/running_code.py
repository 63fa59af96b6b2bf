"""Finds what goes on while the context is idle: threads that steps have started, tasks and timers of the event loop, and timers of signals."""

import _signal
import _thread
import sys

listed_name = '(threads and tasks)'
# Threads of these hold the values of all steps, and change none of them.
_quiet_packages = frozenset((__package__.partition('.')[0], 'IPython', 'ipykernel'))
_timers = (
    (_signal.ITIMER_REAL, _signal.SIGALRM),
    (_signal.ITIMER_VIRTUAL, _signal.SIGVTALRM),
    (_signal.ITIMER_PROF, _signal.SIGPROF),
)
_parts_of_thread = frozenset(('_target', '_args', '_kwargs'))


def running_code(loop):
    """Pairs of a description, and the values that lead to the code that goes on. A forked child has no other threads, so this comes before a fork."""
    own = _thread.get_ident()
    threads = [(_name_of(ident), _of_thread(ident, frame)) for ident, frame in sys._current_frames().items() if ident != own]
    found = [(name, values) for name, values in threads if values is not None]
    pending = loop.pending()
    if pending:
        found.append(('the event loop', pending))
    handlers = [_signal.getsignal(number) for timer, number in _timers if any(_signal.getitimer(timer))]
    return [*found, ('a timer of signals', handlers)] if handlers else found


def _of_thread(ident, frame):
    """The values that lead to the code of a thread; None if it changes none of those of steps."""
    frames = list(_frames_from(frame))
    if not _quiet_packages.isdisjoint(map(_package_of, frames)):
        return None
    # The frames of `threading` itself hold the whole thread, by which all threads can be reached.
    frames = [frame for frame in frames if _package_of(frame) != 'threading']
    held = [dict(frame.f_locals) for frame in frames if frame.f_locals is not frame.f_globals]
    return [*frames, *held, *_parts_of(_thread_of(ident))]


def _frames_from(frame):
    while frame is not None:
        yield frame
        frame = frame.f_back


def _package_of(frame):
    return str(frame.f_globals.get('__name__')).partition('.')[0]


def _parts_of(thread):
    if thread is None:
        return []
    own = [part for name, part in vars(thread).items() if name in _parts_of_thread or not name.startswith('_')]
    return [type(thread), *own]


def _name_of(ident):
    name = getattr(_thread_of(ident), '_name', None)
    return 'the thread %s' % name if type(name) is str else 'a thread'


def _thread_of(ident):
    """None for one that `threading` does not know."""
    threading = sys.modules.get('threading')
    return threading._active.get(ident) if threading else None
