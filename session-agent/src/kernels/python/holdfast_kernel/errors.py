"""What the user sees of an exception: name, message and traceback, without the kernel's own frames."""

import os
import traceback

message_characters_max = 65536
traceback_lines_max = 1000
line_characters_max = 4096

_own_folder = os.path.dirname(__file__) + os.sep


def describe_error(error):
    """`{name, message, traceback}`; the traceback's lines joined by newlines are what Python itself would print."""
    name = type(error).__name__
    try:
        message = str(error)
    except BaseException:
        message = '<the exception has no text: its __str__ fails>'
    return {
        'name': name,
        'message': message[:message_characters_max],
        'traceback': _lines(error, name, message),
    }


def _lines(error, name, message):
    try:
        frames = _skip_own(error.__traceback__)
        text = ''.join(traceback.TracebackException(type(error), error, frames, compact=True).format())
    except BaseException:
        text = '%s: %s' % (name, message)
    lines = text.splitlines()
    if len(lines) > traceback_lines_max:
        half = traceback_lines_max // 2
        lines[half:-half] = ['  … (%d more lines)' % (len(lines) - 2 * half)]
    return [line[:line_characters_max] for line in lines]


def _skip_own(frames):
    while frames and frames.tb_frame.f_code.co_filename.startswith(_own_folder):
        frames = frames.tb_next
    return frames
