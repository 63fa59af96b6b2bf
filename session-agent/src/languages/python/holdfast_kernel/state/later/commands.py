"""Knows the commands of IPython that change no names: those of the system's shell, and some magics."""

import ast
import copy
import re

from ..immutable import is_immutable

_line_magics = frozenset('cat cd conda cp env ls ldir lf ll lsmagic mamba man matplotlib micromamba mkdir mv pip pwd rm rmdir set_env uv who whos'.split())
_cell_magics = frozenset('HTML SVG bash html javascript js latex markdown perl ruby script sh svg writefile'.split())
_methods = {'system': 1, 'getoutput': 1, 'run_line_magic': 2, 'run_cell_magic': 3}
_name = re.compile(r'[A-Za-z_]\w*')
_variable = re.compile(r'\$+([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\}')


def without_commands(tree, main):
    """The tree with `None` instead of each command that changes no names. The tree itself stays as it is."""
    if not any(_command_of(node) for node in ast.walk(tree)) or 'get_ipython' in main:
        return tree
    return _Without(main).visit(copy.deepcopy(tree))


def commands_in(tree):
    """The commands of a tree, each as the name of the magic, or of the method that runs it, and the text behind it."""
    found = filter(None, map(_command_of, ast.walk(tree)))
    return [(texts[0], texts[1]) if method.startswith('run_') else (method, texts[0]) for method, texts in found]


def names_in_commands(tree):
    """The names that commands may mention, whose values IPython puts into them. It leaves names alone that do not exist."""
    return {name for _, text in commands_in(tree) if '$' in text or '{' in text for name in _name.findall(text)}


class _Without(ast.NodeTransformer):
    def __init__(self, main):
        self._main = main

    def visit_Call(self, node):
        command = _command_of(node)
        if command is None or not _changes_no_name(*command, self._main):
            return self.generic_visit(node)
        value = ast.Constant(None)
        # A command sets this name to its exit code.
        if '_exit_code' in self._main:
            value = ast.NamedExpr(ast.Name('_exit_code', ast.Store()), value)
        return ast.fix_missing_locations(ast.copy_location(value, node))


def _command_of(node):
    """The method and the texts of `get_ipython().method("text", ...)`, or None."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or node.keywords:
        return None
    shell = node.func.value
    if not isinstance(shell, ast.Call) or not isinstance(shell.func, ast.Name) or shell.func.id != 'get_ipython':
        return None
    texts = [argument.value for argument in node.args if isinstance(argument, ast.Constant) and isinstance(argument.value, str)]
    if len(texts) != len(node.args) or len(texts) != _methods.get(node.func.attr):
        return None
    return node.func.attr, texts


def _changes_no_name(method, texts, main):
    if method == 'run_line_magic' and texts[0] not in _line_magics:
        return False
    # Cells that put their output into a name or go on in the background have options for it.
    if method == 'run_cell_magic' and (texts[0] not in _cell_magics or '--' in texts[1]):
        return False
    # IPython puts values into commands: `$name`, and expressions in braces. The text of a cell stays as it is.
    expanded = texts[1] if method.startswith('run_') else texts[0]
    names = [dollar or braced for dollar, braced in _variable.findall(expanded)]
    return '{' not in _variable.sub('', expanded) and all(name not in main or is_immutable(main[name]) for name in names)
