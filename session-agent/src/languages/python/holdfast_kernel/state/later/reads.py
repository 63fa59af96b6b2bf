"""Knows expressions that only read: evaluating them changes none of the values that they mention."""

import ast
import builtins
import inspect
import types

from ..looking import has_kind, module_of, name_of

# Built-in functions that change none of their arguments, unless one of these is of a step's class.
functions = frozenset(
    'abs all any ascii bin bool bytes callable chr complex dict divmod enumerate float format frozenset hash hex id int isinstance '
    'issubclass len list max min oct ord pow print range repr reversed round set slice sorted str sum tuple type zip'.split()
)
# Methods that change nothing, whatever built-in type, array or data frame has them.
methods = frozenset(
    'all any argmax argmin astype capitalize casefold copy corr count cumsum describe difference dot dtypes encode decode endswith find '
    'flatten format get groupby head hex index info intersection isalpha isdigit isdisjoint isin islower isna isnull issubset issuperset '
    'isupper items join keys lower lstrip max mean median merge min most_common notna nunique plot quantile removeprefix '
    'removesuffix replace reshape rfind round rsplit rstrip shape split splitlines startswith std strip sum swapcase symmetric_difference '
    'tail title to_dict to_list tolist transpose union unique upper value_counts values var zfill'.split()
)
_pure_nodes = (
    ast.Constant, ast.Name, ast.Tuple, ast.List, ast.Set, ast.Dict, ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare, ast.IfExp, ast.Subscript,
    ast.Attribute, ast.JoinedStr, ast.FormattedValue, ast.Call, ast.Starred, ast.Slice, ast.keyword, ast.ListComp, ast.SetComp, ast.DictComp,
    ast.GeneratorExp, ast.comprehension, ast.expr_context, ast.operator, ast.unaryop, ast.boolop, ast.cmpop,
)  # fmt: skip


# Modules of which all functions only read what they get, and the functions of others that do not.
modules = frozenset('cmath collections dataclasses datetime decimal fractions itertools json math numpy pandas re statistics string textwrap'.split())
_writing = frozenset('copyto fill_diagonal place put putmask put_along_axis nditer'.split())


# The place of the array for the results among the arguments of an array's methods.
_places_of_output = {
    **dict.fromkeys(('all', 'any', 'argmax', 'argmin', 'dot', 'max', 'min', 'round'), 1),
    **dict.fromkeys(('cumsum', 'mean', 'std', 'sum', 'var'), 2),
}
# Methods of built-in values, which change them if another function calls them: `max(items, key=found.append)`.
_changing = frozenset(
    name for kind in (list, dict, set, bytearray, types.GeneratorType) for name in dir(kind) if callable(getattr(kind, name)) and name not in methods
) | frozenset('appendleft extendleft popleft rotate write writelines read readline readlines put send fill resize byteswap setflags'.split())
_code_kinds = (
    *(types.FunctionType, types.BuiltinFunctionType, types.MethodType, types.MethodDescriptorType),
    *(types.WrapperDescriptorType, types.MethodWrapperType, types.ClassMethodDescriptorType),
)
# These never call what they get.
_showing = frozenset('callable id isinstance issubclass len print repr str type'.split())


def only_reads(expression, defined):
    """Whether an expression changes nothing if the values that it mentions are of built-in types. `defined` are the names of the context."""
    return all(isinstance(node, _pure_nodes) and _is_pure(node, defined) for node in ast.walk(expression))


def _is_pure(node, defined):
    if isinstance(node, ast.comprehension):
        return not node.is_async
    if not isinstance(node, ast.Call):
        return True
    called = node.func
    if isinstance(called, ast.Name):
        if called.id not in functions or called.id in defined:
            return False
        return called.id in _showing or not _gets_code(node, defined)
    if not isinstance(called, ast.Attribute) or _gets_code(node, defined) or any(keyword.arg in ('copy', 'inplace', 'out') for keyword in node.keywords):
        return False
    if isinstance(called.value, ast.Name):
        module = defined.get(called.value.id)
        if type(module) is types.ModuleType:
            return _is_reading_function(module, called.attr) and not _has_output(vars(module).get(called.attr), node)
    return called.attr in methods and not _has_output_of_method(node)


def _is_reading_function(module, name):
    return vars(module).get('__name__') in modules and name not in _writing


def _has_output(function, call):
    """Whether a function of numpy gets by its place the array for its results, or is told so not to copy."""
    if name_of(type(function)) == 'ufunc':
        return len(call.args) > function.nin
    if module_of(function).partition('.')[0] != 'numpy' and name_of(type(function)) != '_ArrayFunctionDispatcher':
        return False
    try:
        parameters = list(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return False
    return any(name in parameters[: len(call.args)] for name in ('out', 'copy'))


def _has_output_of_method(call):
    place = _places_of_output.get(call.func.attr, len(call.args))
    return any(not isinstance(argument, ast.Constant) for argument in call.args[place:])


def _gets_code(call, defined):
    """Whether an argument may be code that changes something when it is called."""
    arguments = [*call.args, *(keyword.value for keyword in call.keywords)]
    nodes = [node for argument in arguments for node in ast.walk(argument)]
    called = {id(node.func) for node in nodes if isinstance(node, ast.Call)}
    return any(_is_code(node, defined) for node in nodes if id(node) not in called)


def _is_code(node, defined):
    if isinstance(node, ast.Name):
        if node.id in defined:
            return has_kind(defined[node.id], _code_kinds)
        return has_kind(vars(builtins).get(node.id), _code_kinds) and node.id not in functions
    if not isinstance(node, ast.Attribute):
        return False
    module = defined.get(node.value.id) if isinstance(node.value, ast.Name) else None
    if type(module) is types.ModuleType:
        return has_kind(vars(module).get(node.attr), _code_kinds) and not _is_reading_function(module, node.attr)
    return node.attr in _changing


def gives_atom(expression, defined):
    """Whether its value is a number or a text, so that it refers to nothing that it mentions."""
    if isinstance(expression, (ast.Constant, ast.JoinedStr, ast.Compare)):
        return True
    return (
        isinstance(expression, ast.Call)
        and isinstance(expression.func, ast.Name)
        and expression.func.id in ('len', 'str', 'repr', 'int', 'float', 'bool', 'isinstance', 'hash', 'id', 'print', 'format', 'ord', 'chr')
        and expression.func.id not in defined
    )
