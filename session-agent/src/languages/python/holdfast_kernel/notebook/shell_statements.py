"""Compiles statements as the settings of the IPython shell want it: `ast_node_interactivity` and the user's own transformers."""

import ast


def codes_as_configured(shell, tree, compile_part):
    """Returns the code objects, some of which show values by themselves, or None if the tree is to be compiled as always.

    Changes the tree as the transformers want it. `compile_part` takes a tree and a mode of `compile`.
    """
    tree.body[:] = shell.transform_ast(tree).body
    interactivity = shell.ast_node_interactivity
    if interactivity == 'last_expr_or_assign':
        _add_assigned(tree.body)
    elif interactivity == 'none':
        return [compile_part(tree, 'exec')]
    elif interactivity in ('all', 'last') and tree.body:
        first = 0 if interactivity == 'all' else len(tree.body) - 1
        parts = [compile_part(ast.Module([statement], []), 'exec') for statement in tree.body[:first]]
        return parts + [compile_part(ast.Interactive([statement]), 'single') for statement in tree.body[first:]]
    return None


def _add_assigned(body):
    """Adds an expression with the name that the last statement assigns to."""
    last = body[-1] if body else None
    if isinstance(last, ast.Assign) and len(last.targets) == 1:
        target = last.targets[0]
    else:
        target = getattr(last, 'target', None) if isinstance(last, (ast.AugAssign, ast.AnnAssign)) else None
    if isinstance(target, ast.Name):
        name = ast.copy_location(ast.Name(target.id, ast.Load()), last)
        body.append(ast.copy_location(ast.Expr(name), last))
