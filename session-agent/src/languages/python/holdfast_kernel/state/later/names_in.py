"""Reads from a tree which names a statement binds and mentions."""

import ast

_scopes = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


def names_in(tree):
    """The names of the context that a statement binds or deletes, those that it mentions, and those of which it sets a part (`a.b = 1`)."""
    names = _Names()
    names.visit(tree)
    return names.bound, names.mentioned, names.changed


def surely_bound(statement):
    """The names that a statement binds, if it ends without an error, before it uses their old values."""
    if isinstance(statement, (ast.With, ast.AsyncWith)):
        targets = [item.optional_vars for item in statement.items if item.optional_vars is not None]
        evaluated = [item.context_expr for item in statement.items]
    elif isinstance(statement, (ast.Assign, ast.AnnAssign)) and statement.value is not None:
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        evaluated = [statement.value]
    elif isinstance(statement, (ast.Import, ast.ImportFrom)):
        return names_in(statement)[0]
    else:
        return set()
    used = set().union(*(names_in(part)[1] for part in [*evaluated, *targets]))
    return set().union(*(names_in(target)[0] for target in targets)) - used


def parts_set_in(tree):
    """The owners of the attributes that a statement sets, except names: `l[0]` in `l[0].n = 1`."""
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load)]
    return [node.value for node in nodes if not isinstance(node.value, ast.Name)]


def attributes_in(tree):
    return {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}


class _Names(ast.NodeVisitor):
    def __init__(self):
        self.bound, self.mentioned, self.changed = set(), set(), set()
        self._depth = 0

    def visit_Name(self, node):
        if isinstance(node.ctx, ast.Load):
            self.mentioned.add(node.id)
        elif self._depth == 0:
            self.bound.add(node.id)

    def visit_Attribute(self, node):
        self._note_part(node)

    def visit_Subscript(self, node):
        self._note_part(node)

    def visit_AugAssign(self, node):
        if isinstance(node.target, ast.Name):
            self.mentioned.add(node.target.id)
        self.generic_visit(node)

    def visit_Global(self, node):
        self.bound.update(node.names)

    def visit_comprehension(self, node):
        # Its variables are its own.
        self._inside(node.target)
        self.visit(node.iter)
        for condition in node.ifs:
            self.visit(condition)

    def visit_NamedExpr(self, node):
        self.bound.add(node.target.id)
        self.visit(node.value)

    def visit_ExceptHandler(self, node):
        self._bind(node.name)
        self.generic_visit(node)

    def visit_alias(self, node):
        if node.name == '*':
            self.mentioned.add('exec')
        self._bind(node.asname or node.name.partition('.')[0])

    def generic_visit(self, node):
        if isinstance(node, _scopes):
            self._bind(getattr(node, 'name', None))
            self._inside_all(node)
        elif isinstance(node, ast.ClassDef):
            self._bind(node.name)
            self._inside_all(node)
        else:
            if type(node).__name__ in ('MatchAs', 'MatchStar'):
                self._bind(node.name)
            elif type(node).__name__ == 'MatchMapping':
                self._bind(node.rest)
            super().generic_visit(node)

    def _inside_all(self, node):
        self._depth += 1
        super().generic_visit(node)
        self._depth -= 1

    def _inside(self, node):
        self._depth += 1
        self.visit(node)
        self._depth -= 1

    def _bind(self, name):
        if name and self._depth == 0:
            self.bound.add(name)

    def _note_part(self, node):
        root = node.value
        while isinstance(root, (ast.Attribute, ast.Subscript)):
            root = root.value
        if isinstance(root, ast.Name) and not isinstance(node.ctx, ast.Load):
            self.changed.add(root.id)
        super().generic_visit(node)
