"""Turns a forked process into the kernel that the agent wants, as if it had been started for it."""

import json
import os
import sys
import time

from holdfast_kernel.agent import channel

_marker_name = b'HOLDFAST_KERNEL='


def become_kernel(preloaded):
    """Waits for `{cwd, env}` on fd 3, as four bytes of length (big-endian) and JSON, and answers with one byte: `y` for yes; `n` if
    this kernel would differ from a kernel that is started there; `s` if every kernel of this zygote would (the zygote is stale).

    Reads not a byte more: the bytes that follow are the kernel's. Does not return if it cannot serve or the agent is gone.
    """
    _rehearse()
    _seed()
    wanted = json.loads(_read(int.from_bytes(_read(4), 'big')))
    answer = _enter(wanted['cwd'], preloaded)
    if answer == b'y':
        _set_environment(wanted['env'])
        channel.claim()
    os.write(channel.fd, answer)
    if answer != b'y':
        os._exit(0)


def _enter(folder, preloaded):
    if preloaded.is_stale():
        return b's'
    try:
        os.chdir(folder)
        return b'n' if preloaded.is_shadowed() else b'y'
    except OSError:
        return b'n'


def _read(length):
    data = b''
    while len(data) < length:
        chunk = os.read(channel.fd, length - len(data))
        if not chunk:
            os._exit(0)
        data += chunk
    return data


def _rehearse():
    """Uses pandas as a first step does. The pages that this writes to are copied now, while the process waits, and not during that step."""
    pandas = sys.modules.get('pandas')
    if not pandas:
        return
    try:
        frame = pandas.DataFrame({'a': [1, 2]})
        frame.a.sum()
        repr(frame)
    except BaseException:
        # The library is broken. A step that uses it gets the error.
        pass


def _seed():
    """Gives the kernel random numbers of its own. Python's `random` seeds itself again after a fork."""
    numpy_random = sys.modules.get('numpy.random')
    if numpy_random:
        numpy_random.seed()


def _set_environment(env):
    os.environ.clear()
    os.environ.update(env)
    if 'TZ' in env:
        time.tzset()
    tempfile = sys.modules.get('tempfile')
    if tempfile:
        tempfile.tempdir = None
    _show_marker(env['HOLDFAST_KERNEL'].encode())


def _show_marker(marker):
    """Writes the marker into the zygote's initial environment, which /proc shows for its forks as well.

    The agent finds forks of the kernel by this marker even if they never execute a program. Fields as in proc_pid_stat(5).
    """
    try:
        with open('/proc/self/stat', 'rb') as stat:
            fields = stat.read().rpartition(b')')[2].split()
        start, end = int(fields[47]), int(fields[48])
        with open('/proc/self/mem', 'r+b', buffering=0) as memory:
            memory.seek(start)
            at = memory.read(end - start).find(_marker_name)
            if at >= 0:
                memory.seek(start + at + len(_marker_name))
                memory.write(marker)
    except (OSError, ValueError, IndexError):
        # If /proc forbids it, the agent finds such a fork by its parents alone.
        pass
