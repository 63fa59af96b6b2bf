"""The parts of a definition: what is evaluated when it is reached, and what it binds."""

import ast

imports = (ast.Import, ast.ImportFrom)
functions = (ast.FunctionDef, ast.AsyncFunctionDef)
definitions = (*imports, *functions, ast.ClassDef)


def evaluated_in(statement):
    """The expressions and statements of a definition that are evaluated when it is reached."""
    evaluated = [*getattr(statement, 'decorator_list', ())]
    if isinstance(statement, ast.ClassDef):
        evaluated += [*statement.bases, *statement.keywords]
        for part in statement.body:
            evaluated += evaluated_in(part) if isinstance(part, definitions) else [part]
    elif isinstance(statement, functions):
        evaluated += evaluated_of(statement.args, statement.returns)
    return evaluated


def evaluated_of(arguments, returns=None):
    """The defaults and the annotations of a function."""
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
    annotations = [argument.annotation for argument in every if argument is not None] + [returns]
    return [part for part in [*arguments.defaults, *arguments.kw_defaults, *annotations] if part is not None]


def bound_by(statement):
    """The names that a definition binds, or an assignment to names."""
    if isinstance(statement, imports):
        return {alias.asname or alias.name.partition('.')[0] for alias in statement.names}
    if isinstance(statement, definitions):
        return {statement.name}
    targets = getattr(statement, 'targets', None) or [getattr(statement, 'target', None)]
    return {target.id for target in targets if isinstance(target, ast.Name)}
