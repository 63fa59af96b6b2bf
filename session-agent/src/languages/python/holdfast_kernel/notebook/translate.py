"""Decides which steps are IPython's and turns them into Python, by IPython's own transformer."""

import builtins
import keyword
import re

from . import open_shell
from .magic_names import magic_names

_looks_own = re.compile(r'^\s*[%!?]|\?\s*$|=\s*[%!]', re.MULTILINE)
# Python takes a line behind such a prompt for an annotation.
_has_prompt = re.compile(r'\s*In \[\d+\]: ')
# One line that begins with a name and neither binds it nor reads an attribute: `ls`, `ls -l`, `cd ..`, `store["key"]`.
_may_be_automagic = re.compile(r'\s*([A-Za-z_]\w*)(?![\w.*])(?!\s*[=,:])[^\n]*\s*\Z')


def translate_rejected(code, error):
    """Returns Python for code that Python rejects with this error. Raises the error if IPython reads the code as Python does."""
    shell = open_shell.open_shell()
    if shell is None:
        if _looks_own.search(code):
            error.msg = "%s (if this is IPython's syntax, %s)" % (error.msg, open_shell.why_missing())
        raise error
    python = shell.transform_cell(code)
    if python.rstrip('\n') == code.rstrip('\n'):
        raise error
    return python


def translate_accepted(code, namespace):
    """Returns Python for code that Python accepts, which is the same code unless IPython takes it for a magic or has been changed."""
    shell = open_shell.shell
    if _is_automagic(code, namespace, shell) or ('In [' in code and _has_prompt.match(code)):
        shell = open_shell.open_shell()
    elif shell is None or not _has_transformers_of_user(shell):
        return code
    return code if shell is None else shell.transform_cell(code)


def _has_transformers_of_user(shell):
    """Transformers that the user has added apply to code that is plain Python as well."""
    return bool(shell.input_transformers_post) or shell.input_transformers_cleanup != shell.own_cleanups


def _is_automagic(code, namespace, shell):
    """Whether a name that nothing else has may stand for a magic, or whether it stands for a macro.

    Without a shell, only the magics of a new one count, since a misspelled name must not open one.
    """
    found = _may_be_automagic.match(code)
    if not found:
        return False
    name = found.group(1)
    if name in namespace:
        return type(namespace[name]).__module__ == 'IPython.core.macro'
    if hasattr(builtins, name) or keyword.iskeyword(name):
        return False
    return shell is not None or name in magic_names()
