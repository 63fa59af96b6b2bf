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
        described = traceback.TracebackException(type(error), error, error.__traceback__)
        _leave_out_own(described)
        text = ''.join(described.format())
    except BaseException:
        text = '%s: %s' % (name, message)
    lines = text.splitlines()
    if len(lines) > traceback_lines_max:
        half = traceback_lines_max // 2
        lines[half:-half] = ['  … (%d more lines)' % (len(lines) - 2 * half)]
    return [line[:line_characters_max] for line in lines]


def _leave_out_own(described, depth=0):
    described.stack[:] = [frame for frame in described.stack if not frame.filename.startswith(_own_folder)]
    for other in (described.__cause__, described.__context__):
        if other is not None and depth < 100:
            _leave_out_own(other, depth + 1)
