"""Separates the running step's output from the output of threads and tasks that earlier steps have left behind.

Tasks, and threads that take the context along (asyncio.to_thread), carry their step in a context variable. Another thread belongs to
the step at whose end it was alive for the first time.
"""

import _thread
import os
from _contextvars import ContextVar
from collections import deque

from ..agent import channel, interrupt

pending_characters_max = 65536
message_characters_max = 1024 * 1024

_step_of_context = ContextVar('holdfast_step')

_tasks = '/proc/self/task'
_tasks_fd = -1
# The main thread and the flusher.
_own_threads = 2
_tasks_identity = None

_running = None
_last = None
_steps_of_threads = {}
_passing = set()
_pending = deque()
_pending_characters = 0
_wake = None

interrupt.protect(__file__)


def begin(step_id):
    """Attributes output to this step from now on, except that of earlier steps' threads and tasks. Call in the context in which it runs."""
    global _running, _last
    _running = _last = step_id
    _step_of_context.set(step_id)


def end():
    """Treats the output of threads that live on as late from now on."""
    global _running
    _note_threads()
    _running = None


def has_threads():
    """Whether threads of earlier steps were alive at the last step's end."""
    return bool(_steps_of_threads)


def pass_on(action):
    """Runs `action()`, which passes on the output of other threads. None of it counts as this thread's own."""
    thread = _thread.get_ident()
    was_passing = thread in _passing
    _passing.add(thread)
    try:
        action()
    finally:
        if not was_passing:
            _passing.discard(thread)


def is_passing_on():
    """Whether this thread passes on the output of others."""
    return _thread.get_ident() in _passing


def set_wake(wake):
    """Sets the function that is called when there is output to send; see `send_pending`."""
    global _wake
    _wake = wake


def late_step():
    """Returns the earlier step whose late output this thread writes now, or None if it writes the running step's output."""
    if _thread.get_ident() in _passing:
        return None
    step_id = step_of_output()
    return None if step_id == _running else step_id


def step_of_output():
    """Returns the step, running or not, to which the output of this thread belongs. None before the first step."""
    return _step_of_context.get(None) or _steps_of_threads.get(_thread.get_native_id()) or _running or _last


def is_of_earlier_step(context):
    """Whether code in this context was begun by a step other than the running one."""
    return context.get(_step_of_context, _running) != _running


def add(step_id, stream, text):
    """Queues text as background output of a step. A thread that writes faster than the agent reads waits here."""
    global _pending_characters
    _pending.append((step_id, stream, text))
    _pending_characters += len(text)
    if _pending_characters > pending_characters_max:
        send_pending()
    else:
        _wake()


def send_pending():
    global _pending_characters
    _pending_characters = 0
    joined = []
    while _pending:
        try:
            step_id, stream, text = _pending.popleft()
        except IndexError:
            break
        if joined and joined[-1][:2] == (step_id, stream):
            joined[-1][2].append(text)
        else:
            joined.append((step_id, stream, [text]))
    for step_id, stream, texts in joined:
        text = ''.join(texts)
        for at in range(0, len(text), message_characters_max):
            part = text[at : at + message_characters_max]
            channel.send({'type': 'background', 'stepId': step_id, 'stream': stream, 'text': part})


def watch_threads():
    """Call once in the process that is the kernel."""
    global _tasks_fd, _tasks_identity
    try:
        _tasks_fd = os.open(_tasks, os.O_RDONLY)
        _tasks_identity = _identity(os.fstat(_tasks_fd))
    except OSError:
        pass


def _has_own_threads_alone():
    """Whether certainly no thread of the user's lives. Most steps need only this one system call."""
    try:
        status = os.fstat(_tasks_fd)
    except OSError:
        return False
    # The number of links is the number of threads plus two. The code may have put another file in the descriptor's place.
    return status.st_nlink <= 2 + _own_threads and _identity(status) == _tasks_identity


def _identity(status):
    return status.st_dev, status.st_ino


def _note_threads():
    if not _steps_of_threads and _has_own_threads_alone():
        return
    try:
        alive = [int(name) for name in os.listdir(_tasks)]
    except OSError:
        alive = []
    if len(alive) <= _own_threads:
        alive = []
    own = os.getpid()
    for gone in _steps_of_threads.keys() - set(alive):
        del _steps_of_threads[gone]
    for thread in alive:
        if thread != own:
            _steps_of_threads.setdefault(thread, _running)
