import errno
import os
import select

from holdfast_processes.children import Children
from holdfast_processes.messages import control, receive, send
from holdfast_processes.pipes import close_all, open_pipes
from holdfast_processes.start import ignore_signals, start


def serve():
    """Answers the agent until it is gone, and then kills all processes."""
    os.set_inheritable(control, False)
    ignore_signals()
    poll = select.poll()
    poll.register(control, select.POLLIN)
    children = Children(poll)
    while True:
        readable = [descriptor for descriptor, _ in poll.poll(children.wake_ms)]
        if control in readable:
            messages = receive()
            if messages is None:
                children.end_all()
                return
            for message in messages:
                handle(message, children)
        for descriptor in readable:
            children.read_report(descriptor)
        children.wake_watchers()
        children.reap()


def handle(message, children):
    if message['type'] == 'signal':
        children.signal(message['pid'], message['signal'])
        return
    if message['type'] == 'opened':
        close_all(message['ends'])
        return
    try:
        result = answer(message, children)
    except OSError as error:
        result = {'error': errno.errorcode.get(error.errno, 'EIO')}
    send({'type': 'answer', 'id': message['id'], **result})


def answer(message, children):
    if message['type'] == 'end':
        children.end_all()
        return {}
    ends, theirs = open_pipes(message['streams'])
    try:
        return {'pid': begin(message, theirs, children), 'ends': ends}
    except OSError:
        close_all(ends.values())
        raise


def begin(message, streams, children):
    if 'limits' not in message:
        return children.add(start(message, streams))
    # Most programs have none, and this process stays small without it.
    from holdfast_kernel.agent.program_limits import ProgramLimits

    limits = ProgramLimits(message['limits'])
    if not limits.are_measured:
        return children.add(start(message, streams, limits))
    from holdfast_processes.watched import start_watched

    return children.add_watched(*start_watched(message, streams, limits), message['env']['HOLDFAST_KERNEL'])
