"""Passes a message of a front end to the comm that it is meant for. An error of a handler is the step's."""

import base64
import sys

_types = {'open': 'comm_open', 'message': 'comm_msg', 'close': 'comm_close'}


def handle_message(message, step_id):
    """Raises LookupError if no comm or target has this name, and the errors of the handlers."""
    if message['kind'] == 'open':
        import comm

        _open(comm, _in_jupyter_terms(message, step_id))
        return
    get_manager = getattr(sys.modules.get('comm'), 'get_comm_manager', None)
    manager = get_manager and get_manager()
    found = manager and manager.comms.get(message['commId'])
    if found is None:
        raise LookupError('no comm has the id %s' % message['commId'])
    if message['kind'] == 'close':
        found._closed = True
        manager.unregister_comm(found)
        found.handle_close(_in_jupyter_terms(message, step_id))
    else:
        found.handle_msg(_in_jupyter_terms(message, step_id))


def _open(comm, message):
    """Differs from the manager's `comm_open` in one point: a failure is raised and not only logged."""
    content = message['content']
    manager = comm.get_comm_manager()
    opened = comm.create_comm(comm_id=content['comm_id'], target_name=content['target_name'], primary=False)
    manager.register_comm(opened)
    try:
        target = manager.targets.get(content['target_name'])
        if target is None:
            raise LookupError('no comm target has the name %s' % content['target_name'])
        target(opened, message)
    except BaseException:
        opened.close()
        raise


def _in_jupyter_terms(message, step_id):
    content = {'comm_id': message['commId'], 'data': message['data']}
    if message['kind'] == 'open':
        content['target_name'] = message['targetName']
    return {
        'header': {'msg_id': step_id, 'msg_type': _types[message['kind']], 'version': '5.3'},
        'parent_header': {},
        'metadata': message['metadata'],
        'content': content,
        'buffers': [memoryview(base64.b64decode(buffer)) for buffer in message['buffers']],
    }
