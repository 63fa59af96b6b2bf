"""Tells whose output it is: the running step's, or that of an earlier step's threads and tasks, which must never mix with it.

Tasks, and threads that take the context along (asyncio.to_thread), carry their step in a context variable. Other threads belong to
the step that ran when they were seen first; all that live are seen at a step's end.
"""

import _thread
import os
from _contextvars import ContextVar
from collections import deque

from . import channel, interrupt

pending_characters_max = 65536
message_characters_max = 1024 * 1024

home = ContextVar('holdfast_step')

_running = None
_last = None
_thread_homes = {}
_passing = set()
_pending = deque()
_pending_characters = 0
_wake = None

interrupt.protect(__file__)


def begin(step_id):
    """What is written from now on is this step's, but for what earlier ones left behind. Call in the context in which it runs."""
    global _running, _last
    _running = _last = step_id
    home.set(step_id)


def end():
    """Threads that live on are late from now on."""
    global _running
    _note_threads()
    _running = None


def has_threads():
    """Whether threads of earlier steps were alive at the last step's end."""
    return bool(_thread_homes)


def pass_on(action):
    """Runs `action()`, by which this thread passes on what others have written, and which is none of its own."""
    thread = _thread.get_ident()
    was_passing = thread in _passing
    _passing.add(thread)
    try:
        action()
    finally:
        if not was_passing:
            _passing.discard(thread)


def wakes(wake):
    """`wake()` is called where there is something to send; see `send_pending`."""
    global _wake
    _wake = wake


def late_home():
    """The step whose late output it is what this thread writes now, or None where it is the running step's."""
    if _thread.get_ident() in _passing:
        return None
    step_id = home.get(None) or _thread_homes.get(_thread.get_native_id()) or _running or _last
    return None if step_id == _running else step_id


def add(step_id, stream, text):
    """Sends text as background output of a step, soon. A thread that writes faster than the agent reads waits here."""
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


def _note_threads():
    try:
        # The count of links is that of the threads and two more; to ask for it is all that most steps pay.
        if os.stat('/proc/self/task').st_nlink <= 4 and not _thread_homes:
            alive = []
        else:
            alive = [int(name) for name in os.listdir('/proc/self/task')]
    except OSError:
        alive = []
    own = os.getpid()
    for gone in _thread_homes.keys() - set(alive):
        del _thread_homes[gone]
    for thread in alive:
        if thread != own:
            _thread_homes.setdefault(thread, _running)
