"""A program with limits runs below a process of its own, its watcher, which adopts what the program leaves behind, so that all of it is measured together."""

import _signal
import os
import select

from holdfast_kernel.agent.subreaper import adopt_orphans
from holdfast_processes.start import start, wake_ms

_measure_seconds = 0.1
#: Between two rounds of killing.
_kill_seconds = 0.004


def start_watched(message, streams, limits):
    """Returns the pid of the program, the descriptor of its watcher's reports and the pid of the watcher. A report is `exceeded` with a limit, `ended`
    with the wait status, the seconds of CPU time and the highest resident set in KiB, or `done` when nothing of the program is left. Raises OSError as `start` does."""
    reader, writer = os.pipe()
    try:
        watcher = os.fork()
        if watcher == 0:
            try:
                _watch(message, streams, limits, writer)
            finally:
                os._exit(0)
    except OSError:
        os.close(reader)
        raise
    finally:
        for descriptor in (writer, *streams.values()):
            os.close(descriptor)
    word, _, number = _read_line(reader, watcher).partition(b' ')
    if word == b'started':
        return int(number), reader, watcher
    os.close(reader)
    raise OSError(int(number or 5), 'not executed')


def _read_line(reader, watcher):
    """Reads no further: the program may have ended already, and the next line says so. The program may also have stopped its watcher."""
    line = b''
    poll = select.poll()
    poll.register(reader, select.POLLIN)
    while not line.endswith(b'\n'):
        if not poll.poll(wake_ms):
            os.kill(watcher, _signal.SIGCONT)
            continue
        byte = os.read(reader, 1)
        if not byte:
            break
        line += byte
    return line


def _watch(message, streams, limits, reports):
    _close_others({reports, *streams.values()})
    os.setsid()
    adopt_orphans()
    ended = _wake_on_child_end()
    try:
        program = start(message, streams, limits)
    except OSError as error:
        os.write(reports, b'failed %d\n' % error.errno)
        return
    os.write(reports, b'started %d\n' % program)
    excess = None
    while _reap(program, reports):
        select.select([ended], [], [], _kill_seconds if excess else _measure_seconds)
        try:
            os.read(ended, 4096)
        except BlockingIOError:
            pass
        found, pids = limits.excess()
        if found and not excess:
            excess = found
            _report(reports, b'exceeded %s\n' % excess.encode())
        for pid in pids if excess else ():
            try:
                os.kill(pid, _signal.SIGKILL)
            except OSError:
                pass
    _report(reports, b'done\n')


def _reap(program, reports):
    """Returns whether anything is left."""
    while True:
        try:
            pid, status, usage = os.wait4(-1, os.WNOHANG)
        except ChildProcessError:
            return False
        if pid == 0:
            return True
        if pid == program:
            _report(reports, b'ended %d %.6f %d\n' % (status, usage.ru_utime + usage.ru_stime, usage.ru_maxrss))


def _report(reports, line):
    try:
        os.write(reports, line)
    except OSError:
        # The process that started this one is gone.
        pass


def _wake_on_child_end():
    reader, writer = os.pipe()
    for fd in (reader, writer):
        os.set_blocking(fd, False)
    _signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    _signal.signal(_signal.SIGCHLD, lambda *_: None)
    return reader


def _close_others(kept):
    """Closes what belongs to the process that this one was forked from: without an end of it, neither the agent nor other programs would see theirs."""
    for name in os.listdir('/proc/self/fd'):
        descriptor = int(name)
        if descriptor > 2 and descriptor not in kept:
            try:
                os.close(descriptor)
            except OSError:
                pass
