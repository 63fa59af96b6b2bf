"""The terminal that shell commands write to. On one, programs arrange their output in columns and do not hold it back."""

import fcntl
import os
import struct
import termios

from ..agent import interrupt

rows, columns = 24, 80

interrupt.protect(__file__)


def open_terminal():
    """Returns (end to read from, end to write to). If the sandbox has no terminals, these are the ends of a pipe."""
    try:
        reading, terminal = os.openpty()
    except OSError:
        return os.pipe()
    try:
        return reading, _prepared(terminal)
    except OSError:
        os.close(reading)
        return os.pipe()
    finally:
        os.close(terminal)


def _prepared(terminal):
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack('4H', rows, columns, 0, 0))
    settings = termios.tcgetattr(terminal)
    # Lines end in the output of a step without a carriage return.
    settings[1] &= ~termios.ONLCR
    termios.tcsetattr(terminal, termios.TCSANOW, settings)
    # A program that reads keys from the terminal it writes to, as pagers do, fails instead of waiting for ever.
    return os.open(os.ttyname(terminal), os.O_WRONLY | os.O_NOCTTY)


def read_terminal(reading):
    """Returns bytes, none if no process can write any more."""
    try:
        return os.read(reading, 65536)
    except OSError:
        return b''
