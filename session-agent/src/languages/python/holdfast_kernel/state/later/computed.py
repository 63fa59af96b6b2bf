"""Knows assignments that only compute with numbers and texts, so that evaluating them again gives the same and changes nothing else."""

import ast

from ..looking import has_kind

_nodes = (
    ast.Constant, ast.Name, ast.Tuple, ast.List, ast.Set, ast.Dict, ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare, ast.IfExp, ast.JoinedStr,
    ast.FormattedValue, ast.expr_context, ast.operator, ast.unaryop, ast.boolop, ast.cmpop,
)  # fmt: skip
# Whether two equal texts are the same object differs from kernel to kernel.
_identity = (ast.Is, ast.IsNot)
_plain = frozenset((int, float, complex, str, bytes, bool, type(None)))


def computed_names(statement, main):
    """The names that such a statement assigns, or None. `main` has the values of the names that it mentions."""
    value = getattr(statement, 'value', None)
    if value is None or not isinstance(statement, (ast.Assign, ast.AugAssign, ast.AnnAssign)):
        return None
    targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
    names = [_names_of(target) for target in targets]
    if None in names or not all(_computes(node, main) for node in ast.walk(value)):
        return None
    assigned = set().union(*names)
    if isinstance(statement, ast.AugAssign) and not all(_is_plain(name, main) for name in assigned):
        return None
    return assigned


def _computes(node, main):
    if isinstance(node, ast.Name):
        return _is_plain(node.id, main)
    return isinstance(node, _nodes) and not isinstance(node, _identity)


def _is_plain(name, main):
    return name in main and has_kind(main[name], _plain)


def _names_of(target):
    if isinstance(target, ast.Name):
        return {target.id}
    if isinstance(target, (ast.Tuple, ast.List)):
        names = [_names_of(element) for element in target.elts]
        return None if None in names else set().union(*names)
    return None
