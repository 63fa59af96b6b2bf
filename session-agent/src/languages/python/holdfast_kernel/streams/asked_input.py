"""Makes `sys.stdin`, `input()` and `getpass()` ask the agent for lines. fd 0 stays /dev/null."""

import _thread
import builtins
import io
import os
import sys

from ..agent import channel, interrupt

prompt_characters_max = 65536
not_allowed = 'this step may not ask for input: run it with `stdin: true`'

_builtin_input = builtins.input

interrupt.protect(__file__)


class AskedInput:
    """Asks for one line at a time. Raises EOFError if the step may not ask or has ended."""

    def __init__(self, streams):
        self._streams = streams
        self._step_id = None
        self._is_allowed = False
        self._asking = _thread.allocate_lock()
        self._prompt = ('', False)
        self._install()
        builtins.input = self.input
        sys.breakpointhook = self._breakpoint

    def begin(self, step_id, is_allowed):
        self._step_id = step_id
        self._is_allowed = is_allowed
        if getattr(sys.stdin, 'closed', True):
            self._install()
        if is_allowed:
            self._replace_getpass()

    def end(self):
        """Ends the requests of threads of the step that still wait for a line."""
        self._step_id = None
        self._is_allowed = False

    def ask(self, prompt, is_password):
        """Returns a line without its end, or None at the end of input."""
        step_id = self._step_id
        if not self._is_allowed or not channel.is_kernel():
            raise EOFError(not_allowed)
        prompt = prompt[:prompt_characters_max]
        with self._asking:
            request = {'type': 'input_request', 'stepId': step_id, 'prompt': prompt, 'password': is_password}
            self._streams.send_in_order(request)
            while True:
                message = channel.receive_while(lambda: self._step_id == step_id)
                if message is None:
                    raise EOFError('the step has ended')
                if message['type'] == 'input' and message['stepId'] == step_id:
                    return message['text']

    def may_ask(self):
        """Whether the step may ask, or the user's code has put a stream of its own in the place of standard input."""
        return self._is_allowed or sys.stdin is not self._text

    def input(self, prompt='', /):
        """Shows the prompt and reads a line from standard input. Raises EOFError at the end of input."""
        if sys.stdin is not self._text:
            return _builtin_input(prompt)
        return self._read_line(str(prompt), False)

    def _read_line(self, prompt, is_password):
        self._prompt = (prompt, is_password)
        try:
            line = self._text.readline()
        finally:
            self._prompt = ('', False)
        if not line:
            raise EOFError('EOF when reading a line')
        return line[:-1] if line.endswith('\n') else line

    def _install(self):
        self._text = io.TextIOWrapper(io.BufferedReader(_Lines(self._next_line)), 'utf-8', 'surrogateescape')
        self._text.mode = 'r'
        sys.stdin = sys.__stdin__ = self._text

    def _next_line(self):
        prompt, is_password = self._prompt
        return self.ask(prompt, is_password)

    def _replace_getpass(self):
        import getpass

        def ask_password(prompt='Password: ', stream=None, **_options):
            """Reads a line that is not shown. Raises EOFError at the end of input."""
            return self._read_line(str(prompt), True)

        # A `getpass` that was imported before falls back to the second name.
        getpass.getpass = getpass.fallback_getpass = ask_password

    def _breakpoint(self, *arguments, **options):
        # The debugger would end at the end of input without saying why.
        if not self.may_ask():
            raise EOFError(not_allowed)
        if os.environ.get('PYTHONBREAKPOINT'):
            return sys.__breakpointhook__(*arguments, **options)
        import pdb

        # `pdb.set_trace` would stop in this function, and would handle interrupts itself.
        pdb.Pdb(nosigint=True).set_trace(sys._getframe(1))


class _Lines(io.RawIOBase):
    name = '<stdin>'

    def __init__(self, next_line):
        self._next_line = next_line
        self._rest = b''

    def readable(self):
        return True

    def fileno(self):
        return 0

    def readinto(self, buffer):
        if not self._rest:
            line = self._next_line()
            self._rest = b'' if line is None else line.encode('utf-8', 'surrogateescape') + b'\n'
        part = self._rest[: len(buffer)]
        self._rest = self._rest[len(part) :]
        buffer[: len(part)] = part
        return len(part)
