"""Describes an exception for the user: name, message and traceback, without the kernel's own frames and those by which IPython calls magics and display methods."""

import os

message_characters_max = 65536
traceback_lines_max = 1000
line_characters_max = 4096
depth_max = 100

# The folder of the whole package. Frames of files below it are left out.
_own_folder = os.path.dirname(os.path.dirname(__file__)) + os.sep
_ipython = '/IPython/'
_ipython_callers = ('core/interactiveshell.py', 'core/magic.py', 'core/magics/', 'core/formatters.py', 'lib/pretty.py')
_name_of = type.__dict__['__name__'].__get__
_traceback_of = BaseException.__dict__['__traceback__'].__get__


def describe_error(error):
    """Returns `{name, message, traceback}`. The traceback is a list of lines, the same that Python itself would print."""
    # Read from `type` itself, as a metaclass may lie about the name or raise.
    name = _name_of(type(error))
    message = _message(error)
    return {'name': name, 'message': message[:message_characters_max], 'traceback': _lines(error, name, message)}


def _message(error):
    try:
        # A plain string, even if `__str__` returns a string of a subclass with methods of its own.
        return str.__str__(str(error))
    except KeyboardInterrupt:
        raise
    except BaseException:
        return '<the exception has no text: its __str__ fails>'


def _lines(error, name, message):
    if name == 'UsageError' and type(error).__module__ == 'IPython.core.error':
        # A magic was called in a wrong way, and how IPython found out says nothing.
        return ('UsageError: ' + message).split('\n')[:traceback_lines_max]
    try:
        # The code may have replaced `__import__`, and the import fails then.
        import traceback

        described = traceback.TracebackException(type(error), error, _traceback_of(error))
        _leave_out_own(described, 0)
        text = ''.join(described.format())
    except KeyboardInterrupt:
        raise
    except BaseException:
        text = _plain(error, name, message)
    lines = text[:-1].split('\n') if text.endswith('\n') else text.split('\n')
    if len(lines) > traceback_lines_max:
        half = traceback_lines_max // 2
        lines[half:-half] = ['  … (%d more lines)' % (len(lines) - 2 * half)]
    return [line[:line_characters_max] for line in lines]


def _leave_out_own(described, depth):
    described.stack[:] = _others(described.stack)
    if depth == depth_max:
        return
    for other in (described.__cause__, described.__context__, *(getattr(described, 'exceptions', None) or ())):
        if other is not None:
            _leave_out_own(other, depth + 1)


def _plain(error, name, message):
    """Describes the frames and the message alone, for an exception that Python's own description fails on."""
    try:
        import traceback

        frames = traceback.StackSummary.from_list(_others(traceback.extract_tb(_traceback_of(error))))
        return 'Traceback (most recent call last):\n%s%s: %s' % (''.join(frames.format()), name, message)
    except BaseException:
        return '%s: %s' % (name, message)


def _others(frames):
    return [frame for frame in frames if not _is_internal(frame.filename)]


def _is_internal(filename):
    if filename.startswith((_own_folder, '<decorator-gen-')):
        return True
    return filename.partition(_ipython)[2].startswith(_ipython_callers)
