"""Runs `!command`, `name = !command` and `%pip`; see `command_lines.py`."""

import os
import subprocess
import sys

from .expand_command import expand_command
from .pip_target import pip_target


class Commands:
    def __init__(self, namespace, streams):
        self._namespace = namespace
        self._streams = streams

    def names(self):
        """Returns the functions that translated lines call, by name."""
        return {
            '__holdfast_command__': self.run,
            '__holdfast_lines__': self.read_lines,
            '__holdfast_pip__': self.pip,
        }

    def run(self, command):
        """Runs a shell command. Its output is the step's, and its exit code is in `_exit_code` afterwards, as in IPython."""
        self._call(expand_command(command, sys._getframe(1)), {})

    def read_lines(self, command):
        """Runs a shell command and returns the lines of its output, on both streams, as a list."""
        command = expand_command(command, sys._getframe(1))
        self._streams.flush()
        done = subprocess.run(
            command, shell=True, executable=_shell(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
        )
        self._namespace['_exit_code'] = done.returncode
        return Lines(done.stdout.decode('utf-8', 'replace').splitlines())

    def pip(self, words):
        """Runs pip of this interpreter. Installed packages can be imported at once."""
        target = pip_target(words)
        self._call('%s -m pip %s' % (_quoted(sys.executable), expand_command(words, sys._getframe(1))), target.env)
        target.use()

    def _call(self, command, env):
        self._streams.flush()
        called = subprocess.run(command, shell=True, executable=_shell(), env={**os.environ, **env}, check=False)
        self._namespace['_exit_code'] = called.returncode


class Lines(list):
    """Lines of output; `l`, `n` and `s` give them as a list, as one text, and joined by spaces, as IPython's do."""

    @property
    def l(self):  # noqa: E743
        return list(self)

    @property
    def n(self):
        return '\n'.join(self)

    @property
    def s(self):
        return ' '.join(self)


def _shell():
    return '/bin/bash' if os.path.exists('/bin/bash') else '/bin/sh'


def _quoted(path):
    return "'" + path.replace("'", "'\\''") + "'"
