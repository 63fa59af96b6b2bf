"""Ends the kernel when a step exits."""

import os
import sys


def exit_code_of(exit):
    """Returns the process's exit code for a SystemExit, as CPython computes it. Prints any value that is not an integer to stderr."""
    if exit.code is None:
        return 0
    if isinstance(exit.code, int):
        return exit.code & 0xFF
    print(exit.code, file=sys.stderr)
    return 1


def leave(exit_code, streams):
    """Ends the kernel at once, without waiting for threads that still run."""
    import atexit

    atexit._run_exitfuncs()
    streams.flush_replaced()
    streams.flush()
    os._exit(exit_code)
