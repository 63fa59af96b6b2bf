"""Runs the program that its arguments name as a child and tells the agent on fd 3 how it ended: `begun`, then its wait status (wait(2)).

All processes that the program starts stay below this one, which adopts orphans and lives until the agent has swept them all. The
program dies with the agent: the other end of fd 3 closes then. After `--confined` the program cannot execute any other one.
"""

import _signal
import os
import select
import sys

from holdfast_kernel.agent.subreaper import adopt_orphans

report_fd = 3
not_executed = 127
stops = (_signal.SIGINT, _signal.SIGTERM)


def main():
    adopt_orphans()
    os.set_inheritable(report_fd, False)
    # These signals are meant for the program; a signal that comes before the program runs waits for it.
    _signal.pthread_sigmask(_signal.SIG_BLOCK, stops)
    ended = wake_on_child_end()
    child = os.fork()
    if child == 0:
        execute(sys.argv[1:])
    nothing = os.open(os.devnull, os.O_RDWR)
    for fd in (0, 1, 2):
        os.dup2(nothing, fd)
    os.write(report_fd, b'begun\n')
    while True:
        readable = select.select([ended, report_fd], [], [])[0]
        if report_fd in readable:
            os.killpg(0, _signal.SIGKILL)
        os.read(ended, 4096)
        reap(child)


def wake_on_child_end():
    """Returns a descriptor that is readable whenever a child has ended."""
    reader, writer = os.pipe()
    for fd in (reader, writer):
        os.set_blocking(fd, False)
    _signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    _signal.signal(_signal.SIGCHLD, lambda *_: None)
    return reader


def execute(command):
    try:
        # Python ignores these signals, and the program would inherit that.
        for number in (_signal.SIGPIPE, _signal.SIGXFSZ):
            _signal.signal(number, _signal.SIG_DFL)
        _signal.signal(_signal.SIGINT, _signal.SIG_DFL)
        _signal.pthread_sigmask(_signal.SIG_UNBLOCK, stops)
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
            os.write(report_fd, f'ended {status}\n'.encode())


main()
