"""Runs the shell commands of `!command`, `%pip` and IPython's aliases. Their two streams are one, as on a terminal."""

import codecs
import contextlib
import os
import subprocess
import sys

from .pip_target import pip_target
from .shell_folder import path_with_programs


def run_command(command, streams):
    """Runs a command whose output is the step's, or that of the stream in the place of `sys.stdout`. Returns its exit code."""
    if streams.is_own(sys.stdout):
        # The command writes to the step's descriptor, so its output streams, and what it leaves running can go on writing.
        with _started(command, streams, None) as process:
            return _exit_code(process.wait())
    with _started(command, streams, subprocess.PIPE) as process:
        decoder = codecs.getincrementaldecoder('utf-8')('replace')
        for chunk in iter(lambda: process.stdout.read1(65536), b''):
            sys.stdout.write(decoder.decode(chunk))
        return _exit_code(process.wait())


def read_command(command, streams):
    """Runs a command and returns its exit code and its output."""
    with _started(command, streams, subprocess.PIPE) as process:
        output = process.communicate()[0].decode('utf-8', 'replace')
        return _exit_code(process.wait()), output


@contextlib.contextmanager
def _started(command, streams, stdout):
    streams.flush()
    target = pip_target(command) if 'pip' in command else None
    # A program that does not write to a terminal holds its output back, and most such programs are Python's.
    env = {**os.environ, 'PATH': path_with_programs(), 'PYTHONUNBUFFERED': '1', **(target.env if target else {})}
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


def _exit_code(code):
    """IPython's form: a command that a signal has ended has the negative number of the signal."""
    return 128 - code if code > 128 else code
