"""Splits the last expression off a step, so that its value can be shown."""

import _ast as ast

_between_tokens = ' \t\f\r\n\\'


def split_last_expression(tree, code):
    """Removes the last statement from the tree and returns it as an expression.

    Returns None, and leaves the tree as it is, if the last statement is not an expression or a semicolon after it says not to show it.
    """
    last = tree.body[-1] if tree.body else None
    if not isinstance(last, ast.Expr) or _is_silenced(code, last):
        return None
    del tree.body[-1]
    return ast.Expression(last.value)


def _is_silenced(code, expression):
    if ';' not in code or ('#' not in code and code.rpartition(';')[2].strip(_between_tokens)):
        # The usual case: no semicolon, or something other than a comment comes behind the last one.
        return False
    lines = lines_of(code)[expression.end_lineno - 1 :]
    lines[0] = lines[0].encode('utf-8', 'replace')[expression.end_col_offset :].decode('utf-8', 'replace')
    # Between the expression and the semicolon there may only be brackets around the expression.
    rest = ''.join(line.partition('#')[0] for line in lines)
    return rest.lstrip(')' + _between_tokens).startswith(';')


def lines_of(code):
    """Splits code into lines as Python counts them. `str.splitlines` also splits at characters that do not end a line of code."""
    if '\r' in code:
        code = code.replace('\r\n', '\n').replace('\r', '\n')
    if '\n' not in code:
        return [code + '\n']
    return [line + '\n' for line in code.split('\n')]
