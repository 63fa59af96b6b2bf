"""Runs the program that its arguments name as a child and tells the agent on fd 3 how it ended: `begun`, then `ended` with its wait status
(wait(2)), the milliseconds of CPU time and the highest resident set in KiB of all its processes that have ended.

All processes that the program starts stay below this one, which adopts orphans and lives until the agent has swept them all. The
program dies with the agent: the other end of fd 3 closes then. After `--confined` the program cannot execute any other one. After `--limits`
come limits; if one is exceeded, `exceeded` with its name comes before the end. With `--record`, fd 4 is a file that gets the paths which the
program may have changed (see holdfast_kernel/record).
"""

import _signal
import os
import select
import sys
import time
from resource import RUSAGE_CHILDREN, getrusage

from holdfast_kernel.agent.subreaper import adopt_orphans

report_fd = 3
record_fd = 4
not_executed = 127
stops = (_signal.SIGINT, _signal.SIGTERM)
measure_seconds = 0.1


def main():
    adopt_orphans()
    is_recorded, limits, command = read_own(sys.argv[1:])
    recording = begin_recording() if is_recorded else None
    os.set_inheritable(report_fd, False)
    # These signals are meant for the program; a signal that comes before the program runs waits for it.
    _signal.pthread_sigmask(_signal.SIG_BLOCK, stops)
    ended = wake_on_child_end()
    child = os.fork()
    if child == 0:
        execute(command, limits, recording)
    nothing = os.open(os.devnull, os.O_RDWR)
    for fd in (0, 1, 2):
        os.dup2(nothing, fd)
    changes = recording.follow(record_fd) if recording else None
    os.write(report_fd, b'begun\n')
    wait_seconds = measure_seconds if limits and limits.are_measured else None
    measured_at = 0
    sources = [ended, report_fd] + ([changes.listener] if changes and changes.listener is not None else [])
    while True:
        readable = select.select(sources, [], [], wait_seconds)[0]
        if report_fd in readable:
            os.killpg(0, _signal.SIGKILL)
        if changes and changes.listener in readable and not changes.record_next():
            sources.remove(changes.listener)
        if ended in readable:
            os.read(ended, 4096)
            reap(child)
        if wait_seconds and time.monotonic() - measured_at >= measure_seconds:
            measured_at = time.monotonic()
            if end_by(limits):
                wait_seconds = None


def read_own(command):
    is_recorded = command[0] == '--record'
    if is_recorded:
        command = command[1:]
    if command[0] != '--limits':
        return is_recorded, None, command
    from holdfast_kernel.agent.program_limits import ProgramLimits

    return is_recorded, ProgramLimits(command[1]), command[2:]


def begin_recording():
    from holdfast_kernel.record.recording import Recording

    os.set_inheritable(record_fd, False)
    return Recording()


def end_by(limits):
    """Kills the program with all its processes if a limit is exceeded. The agent kills those that start meanwhile."""
    excess, pids = limits.excess()
    if excess is None:
        return False
    os.write(report_fd, f'exceeded {excess}\n'.encode())
    for pid in pids:
        try:
            os.kill(pid, _signal.SIGKILL)
        except OSError:
            pass
    return True


def wake_on_child_end():
    """Returns a descriptor that is readable whenever a child has ended."""
    reader, writer = os.pipe()
    for fd in (reader, writer):
        os.set_blocking(fd, False)
    _signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    _signal.signal(_signal.SIGCHLD, lambda *_: None)
    return reader


def execute(command, limits, recording):
    try:
        # Python ignores these signals, and the program would inherit that.
        for number in (_signal.SIGPIPE, _signal.SIGXFSZ):
            _signal.signal(number, _signal.SIG_DFL)
        _signal.signal(_signal.SIGINT, _signal.SIG_DFL)
        _signal.pthread_sigmask(_signal.SIG_UNBLOCK, stops)
        if limits:
            limits.begin()
        if recording:
            recording.begin()
        if command[0] == '--confined':
            from holdfast_kernel.agent.confinement import execute_confined

            execute_confined(command[1:])
        os.execv(command[0], command)
    except OSError as error:
        os.write(report_fd, f'failed {error.strerror}\n'.encode())
    finally:
        os._exit(not_executed)


def reap(child):
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if pid == 0:
            return
        if pid == child:
            used = getrusage(RUSAGE_CHILDREN)
            milliseconds = round((used.ru_utime + used.ru_stime) * 1000)
            os.write(report_fd, f'ended {status} {milliseconds} {used.ru_maxrss}\n'.encode())


main()
