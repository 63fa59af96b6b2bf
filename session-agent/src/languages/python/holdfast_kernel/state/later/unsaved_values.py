"""Says what is known of values that are not in a snapshot."""

import ast
import re
import types

from ..beside.own_values import harmless_kinds
from ..looking import is_a, is_of_step, name_of


def is_harmless(reason, main):
    """Whether a name was not saved for a value that shares nothing with others, and runs none of their code."""
    kind = next((kind for kind in harmless_kinds if reason == _reason_of(kind)), None)
    return kind is not None and not any(is_a(value, type) and is_of_step(value) and name_of(value) == kind for value in list(main.values()))


def ends_with_code(reason):
    """Whether the end of the value runs code: its `finally`."""
    return reason in _reasons_of_code


def uses_state_of_module(statement, main):
    """Whether it uses an attribute that a step has given to a module, which is not saved."""
    return any(_is_missing(node, main) for node in ast.walk(statement))


def is_of_notebook(name):
    """Whether IPython gives this name to what earlier steps have shown or were. Each kernel has its own ones."""
    return name in _of_notebook or _shown(name)


def notebook_names_in(tree):
    """The names of IPython that code reads, except those of its own loops and functions: `[f(_) for _ in items]`."""
    nodes = list(ast.walk(tree))
    own = [node.target for node in nodes if isinstance(node, (ast.For, ast.AsyncFor, ast.comprehension))]
    own += [node for node in nodes if isinstance(node, _scopes)]
    bound = {_bound_name(node) for part in own for node in ast.walk(part)}
    return {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and is_of_notebook(node.id)} - bound


def _bound_name(node):
    return node.arg if isinstance(node, ast.arg) else node.id if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) else None


def _reason_of(kind):
    return 'a value of type %s cannot be saved' % kind


_scopes = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_of_notebook = frozenset('_ __ ___ _i _ii _iii In _ih Out _oh _dh _exit_code'.split())
_shown = re.compile(r'_\d+').fullmatch
_reasons_of_code = frozenset(map(_reason_of, ('generator', 'coroutine', 'async_generator')))


def _is_missing(node, main):
    if not isinstance(node, ast.Attribute) or not isinstance(node.value, ast.Name) or not isinstance(node.ctx, ast.Load):
        return False
    module = main.get(node.value.id)
    return type(module) is types.ModuleType and node.attr not in vars(module) and '__getattr__' not in vars(module)
