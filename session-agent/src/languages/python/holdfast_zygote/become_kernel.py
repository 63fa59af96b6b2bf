"""What a forked process does to be the kernel that the agent wants, as if it had been started for it."""

import json
import os
import sys
import time

from holdfast_kernel import channel

_marker_name = b'HOLDFAST_KERNEL='


def become_kernel(preloaded):
    """Waits for `{cwd, env}` on fd 3, as four bytes of length (big-endian) and JSON, and answers with one byte: `y` for yes; `n` where
    this kernel would differ from one that is started there; `s` where all from this zygote would.

    Reads not a byte more: what follows is the kernel's. Does not return where it cannot serve or the agent is gone.
    """
    _seed()
    wanted = json.loads(_read(int.from_bytes(_read(4), 'big')))
    answer = _enter(wanted['cwd'], preloaded)
    if answer == b'y':
        _set_environment(wanted['env'])
        channel.own()
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


def _seed():
    """Gives the kernel random numbers of its own; `random` does so by itself."""
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
    """Writes the marker into the environment with which the zygote was started, which /proc shows of its forks as well.

    By it the agent finds forks of the kernel that never execute a program. Fields as in proc_pid_stat(5).
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
        # Where /proc forbids it, such a fork is found by its parents alone.
        pass
