"""Knows functions of steps that change nothing but what they decorate."""

import ast
import types

from .definition_parts import evaluated_of
from .function_trees import tree_of
from .known_functions import decorators, is_known_function


def is_pure_decorator(function, main, is_same):
    """Whether a call of the function with what it decorates only makes functions, and sets attributes of these and of what it decorates.
    `is_same` says of an expression whether evaluating it changes nothing and gives the same again.
    """
    if type(function) is not types.FunctionType or function.__globals__ is not main or function.__closure__:
        return False
    tree = tree_of(function.__code__)
    return isinstance(tree, ast.FunctionDef) and len(tree.args.args) == 1 and not tree.args.posonlyargs and _Body(tree, main, is_same).is_pure()


class _Body:
    def __init__(self, tree, main, is_same):
        self._tree, self._main, self._is_same = tree, main, is_same
        # Names of the thing that it decorates, and of the functions that it makes.
        self._own = {tree.args.args[0].arg}

    def is_pure(self):
        return all(map(self._is_pure_statement, self._tree.body))

    def _is_pure_statement(self, statement):
        if isinstance(statement, ast.FunctionDef):
            self._own.add(statement.name)
            return all(map(self._is_wrapping, statement.decorator_list)) and all(map(self._is_pure, evaluated_of(statement.args, statement.returns)))
        if isinstance(statement, ast.Assign):
            return all(map(self._is_own, statement.targets)) and self._is_pure(statement.value)
        if isinstance(statement, ast.Return):
            return statement.value is None or self._is_pure(statement.value)
        return isinstance(statement, ast.Pass) or (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant))

    def _is_wrapping(self, decorator):
        """`@functools.wraps(f)`"""
        if not isinstance(decorator, ast.Call) or not all(map(self._is_pure, [*decorator.args, *(one.value for one in decorator.keywords)])):
            return False
        called = decorator.func
        root = called.value if isinstance(called, ast.Attribute) else called
        value = self._main.get(root.id) if isinstance(root, ast.Name) and root.id not in self._own else None
        if isinstance(called, ast.Attribute):
            value = vars(value).get(called.attr) if type(value) is types.ModuleType else None
        return is_known_function(value, decorators)

    def _is_own(self, target):
        return isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name) and target.value.id in self._own

    def _is_pure(self, node):
        if isinstance(node, ast.Name) and node.id in self._own:
            return True
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in self._own:
            return node.attr in ('__name__', '__doc__', '__module__', '__qualname__')
        if isinstance(node, (ast.Tuple, ast.List, ast.Dict)):
            return all(part is None or isinstance(part, ast.expr_context) or self._is_pure(part) for part in ast.iter_child_nodes(node))
        return self._is_same(node)
