"""Knows definitions that may run again: what they evaluate is known to change nothing, and to give the same again."""

import ast
import builtins
import enum
import types

from .definition_parts import bound_by, evaluated_of, functions, imports
from .decorators import is_pure_decorator
from .known_functions import decorators, holders, is_known_function, of_sets, reading, unsettled
from ..immutable import is_immutable
from ..looking import has_kind, is_a, is_of_step, module_of, mro_of, vars_of
from .readable import is_readable, is_settled
from .reads import methods

_nodes = (
    ast.Constant, ast.Tuple, ast.List, ast.Set, ast.Dict, ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare, ast.IfExp, ast.Subscript, ast.JoinedStr,
    ast.FormattedValue, ast.Starred, ast.Slice, ast.keyword, ast.expr_context, ast.operator, ast.unaryop, ast.boolop, ast.cmpop,
)  # fmt: skip
_hooks = ('__init_subclass__', '__class_getitem__', '__mro_entries__', '__set_name__')
_code_kinds = (
    *(types.FunctionType, types.BuiltinFunctionType, types.ModuleType),
    *(types.MethodDescriptorType, types.WrapperDescriptorType, types.ClassMethodDescriptorType),
)
_unknown = object()


def runs_again(statement, main):
    """Whether a statement is a definition that may run again in the context."""
    if isinstance(statement, imports):
        return all(alias.name != '*' for alias in statement.names)
    return isinstance(statement, (*functions, ast.ClassDef)) and _Definition(main, {}).allows(statement)


class _Definition:
    """`main` are the values of the context. `_inner` has, for the names that the bodies of the classes around have bound before, whether
    their values are settled.
    """

    def __init__(self, main, inner):
        self._main = main
        self._inner = dict(inner)

    def allows(self, statement):
        if isinstance(statement, functions):
            return self._allows_function(statement.args, statement.returns) and all(map(self._decorates, statement.decorator_list))
        if isinstance(statement, ast.ClassDef):
            return self._allows_class(statement)
        if isinstance(statement, ast.Assign):
            return all(isinstance(target, ast.Name) for target in statement.targets) and self._is_same(statement.value)
        if isinstance(statement, ast.AnnAssign):
            parts = [statement.annotation, *([statement.value] if statement.value else [])]
            return isinstance(statement.target, ast.Name) and all(map(self._is_same, parts))
        if isinstance(statement, ast.Expr):
            return isinstance(statement.value, ast.Constant)
        return isinstance(statement, (ast.Pass, *imports)) and all(alias.name != '*' for alias in getattr(statement, 'names', ()))

    def _allows_class(self, statement):
        parts = [*statement.bases, *(keyword.value for keyword in statement.keywords)]
        if not all(map(self._is_same, parts)) or not all(map(self._extends, parts)) or not all(map(self._decorates, statement.decorator_list)):
            return False
        inside = _Definition(self._main, self._inner)
        for part in statement.body:
            if not inside.allows(part):
                return False
            is_settled = isinstance(part, (ast.Assign, ast.AnnAssign)) and part.value is not None and inside._is_settled(part.value)
            inside._inner.update(dict.fromkeys(bound_by(part), is_settled))
        return True

    def _allows_function(self, arguments, returns=None):
        return all(map(self._is_same, evaluated_of(arguments, returns)))

    def _extends(self, base):
        """Whether no code of a step runs when a class gets this base or keyword."""
        value = self._value(base)
        if value is _unknown or not is_a(value, type):
            # A base such as `Generic[T]`, whose parts are known. A class that the same definition has made is not.
            return not any(isinstance(node, ast.Name) and node.id in self._inner for node in ast.walk(base))
        if any(is_of_step(kind) for kind in mro_of(type(value))):
            return False
        if issubclass(value, type):
            return not is_of_step(value)
        return not any(is_of_step(kind) and any(hook in vars_of(kind) for hook in _hooks) for kind in mro_of(value))

    def _decorates(self, decorator):
        """Whether a decorator does nothing but change or wrap what it decorates."""
        called = decorator.func if isinstance(decorator, ast.Call) else decorator
        if isinstance(called, ast.Attribute) and isinstance(called.value, ast.Name) and called.value.id in self._inner:
            return called is decorator and called.attr in ('setter', 'getter', 'deleter')
        value = self._value(called)
        if called is not decorator and not self._are_same(decorator):
            return False
        if is_known_function(value, decorators):
            return True
        return called is decorator and is_pure_decorator(value, self._main, self._is_same)

    def _are_same(self, call):
        return all(map(self._is_same, [*call.args, *(keyword.value for keyword in call.keywords)]))

    def _is_same(self, node):
        """Whether evaluating an expression changes nothing and gives the same again."""
        if isinstance(node, ast.Lambda):
            return self._allows_function(node.args)
        if isinstance(node, ast.Name):
            return node.id in self._inner or self._is_harmless(self._value(node))
        if isinstance(node, ast.Attribute):
            value = self._value(node)
            return self._is_harmless(value) if value is not _unknown else self._is_same(node.value) and self._is_data(node.value)
        if isinstance(node, ast.Call):
            return self._is_known_call(node)
        if not isinstance(node, _nodes) or not all(map(self._is_same, ast.iter_child_nodes(node))):
            return False
        return not _depends_on_kernel(node) or self._is_settled(node)

    def _is_known_call(self, call):
        if not self._are_same(call):
            return False
        value = self._value(call.func)
        if is_known_function(value, holders) or (is_known_function(value, of_sets) and not call.keywords):
            return True
        if not all(map(self._is_settled, [*call.args, *call.keywords])):
            return False
        if is_known_function(value, reading) or is_known_function(value, of_sets):
            return True
        is_method = isinstance(call.func, ast.Attribute) and value is _unknown and call.func.attr in methods
        return is_method and self._is_same(call.func.value) and self._is_settled(call.func.value)

    def _is_settled(self, node):
        """Whether the order and the text of a value are the same in each kernel. Those of a set and of a function differ, and a function
        may change something when it is called.
        """
        nodes = list(ast.walk(node))
        if any(isinstance(part, (ast.Set, ast.Lambda)) for part in nodes):
            return False
        called = [self._value(part.func) for part in nodes if isinstance(part, ast.Call)]
        if any(is_known_function(value, unsettled) for value in called):
            return False
        functions_called = {id(part.func) for part in nodes if isinstance(part, ast.Call)}
        parts = [part for part in nodes if isinstance(part, (ast.Name, ast.Attribute)) and id(part) not in functions_called]
        return all(self._inner[part.id] if _is_name_in(part, self._inner) else self._has_settled_value(part) for part in parts)

    def _has_settled_value(self, node):
        value = self._value(node)
        # It is an attribute of a value that is looked at as well, or a module on the way to one.
        return isinstance(node, ast.Attribute) if value is _unknown else type(value) is types.ModuleType or is_settled(value)

    def _is_data(self, node):
        """Whether the names in an expression are of values that no step's class takes part in."""
        names = [part for part in ast.walk(node) if isinstance(part, ast.Name)]
        values = [self._value(name) for name in names if name.id not in self._inner]
        return all(value is not _unknown and not is_a(value, types.FunctionType) and is_readable(value) for value in values)

    def _is_harmless(self, value):
        """Whether nothing happens when such a value is used as it is."""
        if value is _unknown:
            return False
        if is_a(value, type):
            # Its metaclass could take part in `A | B`, and itself in `A[B]`.
            return not any(is_of_step(kind) for kind in mro_of(type(value))) and not any(
                is_of_step(kind) and '__class_getitem__' in vars_of(kind) for kind in mro_of(value)
            )
        return has_kind(value, _code_kinds) or is_immutable(value) or is_readable(value) or _is_of_typing(value)

    def _value(self, node):
        """The value of a name, and of attributes of modules, classes and enumerations, if it can be found without running code."""
        if isinstance(node, ast.Name):
            if node.id in self._inner:
                return _unknown
            return self._main[node.id] if node.id in self._main else vars(builtins).get(node.id, _unknown)
        if not isinstance(node, ast.Attribute):
            return _unknown
        owner = self._value(node.value)
        if type(owner) is types.ModuleType:
            return vars(owner).get(node.attr, _unknown)
        if type(owner) is enum.EnumMeta:
            return vars_of(owner).get('_member_map_', {}).get(node.attr, _unknown)
        if not is_a(owner, type) or any(is_of_step(kind) for kind in mro_of(type(owner))):
            return _unknown
        found = next((vars_of(kind)[node.attr] for kind in mro_of(owner) if node.attr in vars_of(kind)), _unknown)
        return found.__func__ if has_kind(found, (staticmethod,)) else found


def _is_of_typing(value):
    return module_of(type(value)) in ('typing', 'types', 'dataclasses')


def _is_name_in(node, names):
    return isinstance(node, ast.Name) and node.id in names


def _depends_on_kernel(node):
    """Whether an operation can look at the order of its values, at their texts, or at which object they are."""
    if isinstance(node, ast.Compare):
        return any(isinstance(one, (ast.Is, ast.IsNot)) for one in node.ops)
    return isinstance(node, (ast.FormattedValue, ast.Starred)) or (isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod))
