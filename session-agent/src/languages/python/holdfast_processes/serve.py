import errno
import os
import select

from holdfast_processes.children import Children
from holdfast_processes.fifos import make_fifos, open_streams
from holdfast_processes.messages import control, receive, send
from holdfast_processes.start import ignore_signals, start


def serve(folder):
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
                handle(message, children, folder)
        children.reap()


def handle(message, children, folder):
    if message['type'] == 'signal':
        children.signal(message['pid'], message['signal'])
        return
    try:
        result = answer(message, children, folder)
    except OSError as error:
        result = {'error': errno.errorcode.get(error.errno, 'EIO')}
    send({'type': 'answer', 'id': message['id'], **result})


def answer(message, children, folder):
    if message['type'] == 'fifos':
        return {'folder': make_fifos(folder, message['names'])}
    if message['type'] == 'start':
        return {'pid': children.add(start(message, open_streams(message)))}
    children.end_all()
    return {}
