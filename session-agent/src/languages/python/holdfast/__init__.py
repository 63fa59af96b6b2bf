"""Calls operations: `holdfast.call(name, *args)` asks the session's data-plane or its host, and waits for the answer.

`holdfast.session` answers questions about the session. An operation that fails raises `OperationError`, one that the session's policy forbids
`PolicyViolation`. Every thread of a running step may call, and so may processes that the step has forked.
"""

import json as _json
import os as _os
import sys as _sys

__all__ = ['OperationError', 'PolicyViolation', 'acall', 'call', 'session']

_path = _os.environ.get('HOLDFAST_OPERATIONS')
_kernel = _os.environ.get('HOLDFAST_KERNEL')


class OperationError(Exception):
    """An operation has failed. `name` says how, `message` why."""

    def __init__(self, message, name='OperationError'):
        super().__init__(message, name)
        self.message = message
        self.name = name

    def __str__(self):
        return self.message if self.name == 'OperationError' else f'{self.name}: {self.message}'


class PolicyViolation(PermissionError):
    """The policy of the session forbids it. `rule` names the rule."""

    def __init__(self, message, rule=None):
        super().__init__(message)
        self.message = message
        self.rule = rule

    def __str__(self):
        return self.message


def call(name, /, *args):
    """Calls the operation with arguments that JSON can hold, waits, and returns its value."""
    import socket

    line = _line(name, args)
    answer = bytearray()
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            connection.connect(_path)
            connection.sendall(line)
            while True:
                part = connection.recv(65536)
                if not part:
                    break
                answer += part
    except OSError as error:
        raise OperationError(f'the session cannot be reached: {error}') from None
    return _value(answer)


async def acall(name, /, *args):
    """Does what `call` does while other tasks go on."""
    import asyncio

    line = _line(name, args)
    try:
        reader, writer = await asyncio.open_unix_connection(_path)
        try:
            writer.write(line)
            await writer.drain()
            answer = await reader.read(-1)
        finally:
            writer.close()
    except OSError as error:
        raise OperationError(f'the session cannot be reached: {error}') from None
    return _value(answer)


def _line(name, args):
    if _path is None:
        raise OperationError('this process belongs to no session')
    # Output from before the call comes before it for those who watch.
    for stream in (_sys.stdout, _sys.stderr):
        try:
            stream.flush()
        except Exception:
            pass
    call = {'kernel': _kernel, 'name': name, 'arguments': args}
    try:
        return _json.dumps(call, allow_nan=False).encode() + b'\n'
    except ValueError as error:
        raise OperationError(f'JSON cannot hold the arguments: {error}', 'InvalidArguments') from None


def _value(answer):
    if not answer.endswith(b'\n'):
        raise OperationError('the call got no answer')
    answer = _json.loads(answer)
    if 'error' not in answer:
        return answer['value']
    error = answer['error']
    if error['name'] == 'PolicyViolation':
        raise PolicyViolation(error['message'], error.get('rule'))
    raise OperationError(error['message'], error['name'])


class _Session:
    """Questions about the session. Each asks anew, as the answer may change while a step runs."""

    def __repr__(self):
        return '<holdfast.session>'

    def __reduce__(self):
        return 'session'

    @property
    def id(self):
        return call('session.id')

    @property
    def turn_number(self):
        """The number of the running step."""
        return call('session.turn_number')

    @property
    def status(self):
        return call('session.status')

    @property
    def read_only(self):
        """Whether the policy lets no step change files."""
        return call('session.read_only')

    @property
    def proposal_mode(self):
        """Whether changes of files wait for the host's approval."""
        return call('session.proposal_mode')

    @property
    def operations_count(self):
        """The number of operations that the session's steps have asked the host for; Holdfast's own and denied ones do not count."""
        return call('session.operations_count')

    @property
    def proposals(self):
        """The open proposals."""
        return call('session.proposals')

    def budget_remaining(self, kind):
        """The rest of `iterations`, `timeSeconds`, `tokens` or `cost`; None without a limit."""
        return call('session.budget_remaining', kind)

    def allowed(self, operation):
        """Whether the policy allows the operation of this name."""
        return call('session.allowed', operation)

    def audit_log(self, cursor=None):
        """A page of the audit log, oldest first: its `items`, and as `nextCursor` the cursor of the next page or None."""
        return call('session.audit_log', cursor)

    def commit_proposals(self):
        """Commits the open proposals if the host has approved them in advance, and returns their number. Otherwise asks it."""
        committed = call('session.commit_proposals')
        return call('proposals.commit') if committed is None else committed

    def rollback_proposals(self):
        """Rejects the open proposals, and puts the files back."""
        return call('session.rollback_proposals')


session = _Session()


def _enter():
    """Call in the kernel's process, once it has the kernel's environment."""
    global _path, _kernel
    _path = _os.environ.get('HOLDFAST_OPERATIONS')
    _kernel = _os.environ.get('HOLDFAST_KERNEL')
