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
    children = Children()
    while True:
        readable = select.select([children.ended, control], [], [])[0]
        if control in readable:
            messages = receive()
            if messages is None:
                children.end_all()
                return
            for message in messages:
                handle(message, children)
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
        return {'pid': children.add(start(message, theirs)), 'ends': ends}
    except OSError:
        close_all(ends.values())
        raise
