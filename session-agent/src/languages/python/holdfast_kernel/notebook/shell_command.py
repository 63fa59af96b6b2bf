"""Runs the shell commands of `!command`, `%pip` and IPython's aliases. Their two streams are one, as on a terminal."""

import _thread
import codecs
import contextlib
import os
import select
import subprocess
import sys

from ..agent import interrupt
from .command_terminal import open_terminal, read_terminal
from .pip_target import pip_target
from .shell_folder import path_with_programs

# How long it may take to notice that a command has ended that leaves processes running on its terminal.
_notice_seconds = 0.02
# More than a terminal or a pipe holds.
_left_over_bytes_max = 262144

interrupt.protect(__file__)


def run_command(command, streams):
    """Runs a command on a terminal. Its output is the step's, or that of the stream in the place of `sys.stdout`. Returns its exit code."""
    write = _write_to_step if streams.is_own(sys.stdout) else _writer_to(sys.stdout)
    reading, writing = open_terminal()
    try:
        with open(writing, 'wb', buffering=0) as terminal, _started(command, streams, terminal) as process:
            terminal.close()
            while process.poll() is None and (not _is_readable(reading, _notice_seconds) or _pass_on(reading, write)):
                # The signal may have ended the command as well, and then the step would go on.
                interrupt.raise_due()
            code = process.wait()
            interrupt.raise_due()
            return _exit_code(code)
    finally:
        _pass_on_rest(reading, write)


def read_command(command, streams):
    """Runs a command and returns its exit code and its output."""
    with _started(command, streams, subprocess.PIPE) as process:
        output = process.communicate()[0].decode('utf-8', 'replace')
        return _exit_code(process.wait()), output


@contextlib.contextmanager
def _started(command, streams, stdout):
    streams.flush()
    target = pip_target(command) if 'pip' in command else None
    env = {
        # A pager would wait for keys, which a command has none of.
        'PAGER': 'cat',
        'GIT_PAGER': 'cat',
        **os.environ,
        'PATH': path_with_programs(),
        # A program that does not write to a terminal holds its output back, and most such programs are Python's.
        'PYTHONUNBUFFERED': '1',
        **(target.env if target else {}),
    }
    shell = '/bin/bash' if os.path.exists('/bin/bash') else '/bin/sh'
    with subprocess.Popen(
        command, shell=True, executable=shell, env=env, stdout=stdout, stderr=subprocess.STDOUT
    ) as process:
        try:
            yield process
        except BaseException:
            process.kill()
            raise
    if target:
        target.use()


def _write_to_step(data):
    text = sys.__stdout__
    text.flush()
    # Bytes, as the output of a command need not be text.
    text.buffer.write(data)
    text.buffer.flush()


def _writer_to(text):
    decoder = codecs.getincrementaldecoder('utf-8')('replace')
    return lambda data: text.write(decoder.decode(data))


@interrupt.interruptible
def _is_readable(reading, seconds):
    # Not `select`, which fails if the process has more than 1,024 descriptors.
    poll = select.poll()
    poll.register(reading, select.POLLIN)
    return bool(poll.poll(seconds * 1000))


def _pass_on(reading, write):
    """Passes on some bytes. Returns how many, or 0 if no process can write any more."""
    data = read_terminal(reading)
    if data:
        write(data)
    return len(data)


def _pass_on_rest(reading, write):
    """Passes on the rest of the output. That of processes that the command has left running is passed on while they run."""
    left = _left_over_bytes_max
    while left > 0 and _is_readable(reading, 0):
        count = _pass_on(reading, write)
        if not count:
            os.close(reading)
            return
        left -= count
    with interrupt.Uninterrupted():
        _thread.start_new_thread(_pass_on_late, (reading,))


def _pass_on_late(reading):
    try:
        while _pass_on(reading, _write_to_step):
            pass
    except Exception:
        # The code has closed the stream.
        pass
    finally:
        os.close(reading)


def _exit_code(code):
    """IPython's form: a command that a signal has ended has the negative number of the signal."""
    return 128 - code if code > 128 else code
