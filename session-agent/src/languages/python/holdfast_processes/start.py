import _signal
import os
import select

#: How long code can keep the process above it from its work by stopping it.
wake_ms = 250
_not_executed = 127
#: Only SIGKILL ends the process that starts the others: code that ends all of its programs by name does not mean this one.
_ignored = (_signal.SIGINT, _signal.SIGTERM, _signal.SIGHUP, _signal.SIGQUIT, _signal.SIGUSR1, _signal.SIGUSR2)
#: Python ignores the first two, which a program would inherit.
_of_programs = (_signal.SIGPIPE, _signal.SIGXFSZ, _signal.SIGCHLD, *_ignored)


def ignore_signals():
    for number in _ignored:
        _signal.signal(number, _signal.SIG_IGN)


def start(message, streams, limits=None):
    """Returns the pid as soon as the program is executed. Raises OSError if it cannot be."""
    reader, writer = os.pipe()
    try:
        child = os.fork()
        if child == 0:
            _execute(message, streams, limits, writer)
    except OSError:
        os.close(reader)
        raise
    finally:
        for descriptor in (writer, *streams.values()):
            os.close(descriptor)
    number = _read_failed(reader, child)
    if number:
        os.waitpid(child, 0)
        raise OSError(int(number), 'not executed')
    return child


def _read_failed(reader, child):
    """Waits until the program is executed, which closes the writer, or has failed to be. Other code can stop the child before."""
    poll = select.poll()
    poll.register(reader, select.POLLIN)
    try:
        while not poll.poll(wake_ms):
            os.kill(child, _signal.SIGCONT)
        # The number is short, so it comes whole.
        return os.read(reader, 16)
    finally:
        os.close(reader)


def _execute(message, streams, limits, failed):
    """Becomes the program, or writes the number of the error."""
    try:
        _signal.set_wakeup_fd(-1)
        for number in _of_programs:
            _signal.signal(number, _signal.SIG_DFL)
        os.setsid()
        for number, descriptor in _standard(message, streams):
            os.dup2(descriptor, number)
        os.chdir(message['cwd'])
        if limits:
            limits.begin()
        words = [word.encode() for word in message['command']]
        env = {name.encode(): value.encode() for name, value in message['env'].items()}
        os.execve(message['file'].encode(), words, env)
    except OSError as error:
        os.write(failed, str(error.errno).encode())
    finally:
        os._exit(_not_executed)


def _standard(message, streams):
    if 'terminal' in message['streams']:
        # The first terminal that the leader of a session opens becomes that of the session.
        terminal = os.open(message['streams']['terminal'], os.O_RDWR)
        return [(number, terminal) for number in (0, 1, 2)]
    nothing = os.open(os.devnull, os.O_RDONLY)
    return [(0, streams.get(0, nothing)), (1, streams[1]), (2, streams.get(2, streams[1]))]
