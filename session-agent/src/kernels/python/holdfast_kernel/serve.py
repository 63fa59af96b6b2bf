"""The kernel's life: announce itself, then answer one request after the other until the agent is gone."""

import builtins
import os
import sys
from types import ModuleType

from . import channel, interrupt, lifeline
from .display import display
from .event_loop import EventLoop
from .flusher import Flusher
from .step import StepRunner
from .streams import Streams
from .subreaper import adopt_orphans
from .symbols import Symbols


def serve():
    lifeline.hold(4)
    adopt_orphans()
    streams = Streams()
    interrupt.install(channel.fd)
    # A module of its own, and really in sys.modules, so that pickle and inspect find what steps define.
    main = ModuleType('__main__')
    main.__dict__.update(__builtins__=builtins, __annotations__={})
    sys.modules['__main__'] = main
    builtins.display = display
    sys.argv = ['']
    loop = EventLoop()
    symbols = Symbols(main.__dict__)
    runner = StepRunner(main.__dict__, streams, Flusher(streams), loop, symbols)
    channel.send({'type': 'ready', 'version': 'Python ' + sys.version.split()[0]})
    while True:
        if loop.has_tasks() and not channel.has_received():
            loop.run_until_readable(channel.fd)
        request = channel.receive()
        if request is None:
            os._exit(0)
        if request['type'] == 'execute':
            runner.run(request)
        else:
            interrupt.answered(channel.has_received())
            channel.send({'type': 'symbols', 'id': request['id'], 'symbols': symbols.describe()})
