"""Forks kernels on request and tells the agent how they have ended, until the agent is gone.

Messages on fd 3 are lines of JSON. The zygote says `ready {address, preloaded}`. To `fork {id, folder}` it answers `forked {id, pid}` or
`failed {id, message}`; when a kernel ends it says `exited {pid, exitCode, signal}`. For each kernel the agent has connected to the
address twice before it asks; see `accept.py`.
"""

import json
import os
import select
import signal
import warnings

from holdfast_kernel.agent import lifeline

from .accept import accept_channels, listen
from .become_kernel import become_kernel

_fd = 3
_lifeline_fd = 4


def fork_kernels(preloaded):
    """Returns only in a forked kernel, once the agent wants it."""
    lifeline.hold(_lifeline_fd)
    wakeup, waking = os.pipe()
    os.set_blocking(waking, False)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(waking, warn_on_full_buffer=False)
    listener, address = listen()
    _say({'type': 'ready', 'address': address, 'preloaded': preloaded.names})
    requests = b''
    while True:
        readable, _, _ = select.select([_fd, wakeup], [], [])
        if wakeup in readable:
            os.read(wakeup, 4096)
            _tell_ends()
        if _fd in readable:
            chunk = os.read(_fd, 65536)
            if not chunk:
                os._exit(0)
            *lines, requests = (requests + chunk).split(b'\n')
            for line in lines:
                request = json.loads(line)
                channels = _fork(listener, request)
                if channels:
                    signal.set_wakeup_fd(-1)
                    listener.close()
                    os.close(wakeup)
                    os.close(waking)
                    _take_places(channels, request['folder'])
                    become_kernel(preloaded)
                    return


def _fork(listener, request):
    """Returns the channels in the process that becomes the kernel, and None in the zygote."""
    try:
        channels = accept_channels(listener, request['id'])
    except OSError as error:
        _say({'type': 'failed', 'id': request['id'], 'message': str(error)})
        return None
    # Python warns of forks beside threads. The only threads here are those of numerical libraries, which survive a fork.
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        pid = os.fork()
    if pid == 0:
        return channels
    for channel in channels:
        channel.close()
    _say({'type': 'forked', 'id': request['id'], 'pid': pid})
    return None


def _take_places(channels, folder):
    """Starts a session for the kernel and moves its descriptors to their numbers, over those of the zygote."""
    os.setsid()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for channel, fd in zip(channels, (_fd, _lifeline_fd)):
        os.dup2(channel.fileno(), fd, inheritable=False)
        channel.close()
    for name, fds in (('1', (1, 5)), ('2', (2, 6))):
        for fd in fds:
            _open_at(os.path.join(folder, name), fd)
    lifeline.hold(_lifeline_fd)
    # Tells the agent that the FIFOs are open, so that it can remove their names.
    os.write(_fd, b'o')


def _open_at(path, fd):
    # Non-blocking, because opening a FIFO waits for ever if its reader has gone with the agent.
    opened = os.open(path, os.O_WRONLY | os.O_NONBLOCK)
    os.set_blocking(opened, True)
    if opened != fd:
        os.dup2(opened, fd, inheritable=fd < 3)
        os.close(opened)


def _tell_ends():
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if pid == 0:
            return
        signaled = os.WIFSIGNALED(status)
        exit_code = None if signaled else os.WEXITSTATUS(status)
        _say({'type': 'exited', 'pid': pid, 'exitCode': exit_code, 'signal': os.WTERMSIG(status) if signaled else None})


def _say(message):
    line = json.dumps(message).encode() + b'\n'
    while line:
        line = line[os.write(_fd, line) :]
