"""Reads the code of steps as the kernel does when it runs them: IPython's commands become Python."""

import ast

from ...notebook.translate import translate_accepted, translate_rejected

flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT


def read_step(code, main, lost):
    """Returns the tree of a step and the Python that it comes from. `lost` are the names that the context had, too. Raises SyntaxError and the like."""
    try:
        tree = _parsed(code)
    except SyntaxError as error:
        python = translate_rejected(code, error)
    else:
        # `ls` is a command only if no name is, and a lost one may have been.
        python = code if '*' in lost else translate_accepted(code, {**dict.fromkeys(lost), **main})
        if python is code:
            return tree, code
    return _parsed(python), python


def _parsed(code):
    return compile(code, '<step>', 'exec', ast.PyCF_ONLY_AST | flags, dont_inherit=True)
