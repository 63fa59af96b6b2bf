"""Keeps the error of the last step that failed, as Python's own prompt does, for debuggers and `%tb`."""

import os
import sys

_own_folder = os.path.dirname(os.path.dirname(__file__)) + os.sep
_traceback = BaseException.__dict__['__traceback__']


def keep_error(error):
    """Sets `sys.last_value` and its kin. The traceback begins in the user's code from now on.

    A magic that was called in a wrong way leaves the error before it, which `%debug` may be about to look at.
    """
    if type(error).__module__ == 'IPython.core.error':
        return
    traceback = _traceback.__get__(error)
    while traceback is not None and traceback.tb_frame.f_code.co_filename.startswith(_own_folder):
        traceback = traceback.tb_next
    _traceback.__set__(error, traceback)
    sys.last_type, sys.last_value, sys.last_traceback = type(error), error, traceback
    if sys.version_info >= (3, 12):
        sys.last_exc = error
