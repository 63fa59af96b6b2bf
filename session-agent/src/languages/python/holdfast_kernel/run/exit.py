"""Turns a SystemExit into the exit code of the step."""

import builtins
import sys

# A value that is one of them exits as well, as at IPython's prompt. Taken before code can replace them.
_exits = [builtins.__dict__[name] for name in ('exit', 'quit') if name in builtins.__dict__]
_exit_ids = frozenset(map(id, _exits))


def exit_code_of(exit):
    """Returns the code that a process would have, as CPython computes it. Prints any value that is not an integer to stderr."""
    if exit.code is None:
        return 0
    if isinstance(exit.code, int):
        # A number that no C long can hold counts as -1.
        return (exit.code if -(2**63) <= exit.code < 2**63 else -1) & 0xFF
    print(exit.code, file=sys.stderr)
    return 1


def is_exit(value):
    # By identity, as comparing might run the value's own code.
    return id(value) in _exit_ids


def describe_exit(exit, exit_code):
    message = str(exit_code if isinstance(exit.code, int) else exit.code)
    return {'name': 'SystemExit', 'message': message, 'traceback': ['SystemExit: ' + message]}
