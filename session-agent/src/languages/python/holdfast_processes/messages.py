"""Lines of JSON from and to the agent."""

import json
import os

control = 3
_rest = b''


def receive():
    """The messages that have come, or None if the agent is gone."""
    global _rest
    try:
        read = os.read(control, 65536)
    except ConnectionError:
        read = b''
    if not read:
        return None
    *lines, _rest = (_rest + read).split(b'\n')
    return [json.loads(line) for line in lines]


def send(message):
    line = json.dumps(message).encode() + b'\n'
    try:
        os.write(control, line)
    except OSError:
        # The agent is gone, which the next read finds.
        pass
