"""Knows expressions that only read: evaluating them changes none of the values that they mention."""

import ast
import types

# Built-in functions that change none of their arguments, unless one of these is of a step's class.
functions = frozenset(
    'abs all any ascii bin bool bytes callable chr complex dict divmod enumerate float format frozenset hash hex id int isinstance '
    'issubclass len list max min oct ord pow print range repr reversed round set slice sorted str sum tuple type zip'.split()
)
# Methods that change nothing, whatever built-in type, array or data frame has them.
methods = frozenset(
    'all any argmax argmin astype capitalize casefold copy corr count cumsum describe difference dot dtypes encode decode endswith find '
    'flatten format get groupby head hex index info intersection isalpha isdigit isdisjoint isin islower isna isnull issubset issuperset '
    'isupper items join keys lower lstrip max mean median merge min most_common notna nunique partition plot quantile removeprefix '
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
        return called.id in functions and called.id not in defined
    if not isinstance(called, ast.Attribute) or any(keyword.arg in ('inplace', 'out') for keyword in node.keywords):
        return False
    if isinstance(called.value, ast.Name):
        module = defined.get(called.value.id)
        if type(module) is types.ModuleType:
            return module.__name__ in modules and called.attr not in _writing
    return called.attr in methods


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
