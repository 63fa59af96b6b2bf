"""Compiles random steps with and without a syntax tree. The arguments: the folder of the kernel's package, a seed, a number of steps.

Prints how many were compiled without a tree, and fails at the first one for which the results differ, or which needs its tree for an attribute
that it sets and does not say so.
"""

import _ast as ast
import random
import sys
import types
import warnings

sys.path.insert(0, sys.argv[1])
from holdfast_kernel.run.cut_source import compile_cut  # noqa: E402
from holdfast_kernel.run.last_expression import split_last_expression  # noqa: E402
from holdfast_kernel.state.beside.set_attributes import SetAttributes, set_in  # noqa: E402

pieces = (
    ['x + 1', 'f(x)', '"a"', '(1, 2)', 'lambda: 1', '[i for i in x]', '{1: 2}', 'x == 1', 'f(a=1)', 'print("a;b")']
    + ['f("a; x = 1")', 'f"{x=}"', "'''a'''"]
    + ['x  # c', '# a', '# a = 1', 'x = 1', 'x += 1', 'a, b = 1, 2', 'a: int = 1', 'import os', 'del x', 'pass', 'if x: y', 'for i in x: i']
    + ['x := 1', '(x := 1)', '*a, b', 'yield x', 'await f()', 'return 1', '@d', 'class A: pass', 'def f(): pass', 'match x', 'else: y']
    + ['x[1:2]', 'x[0] = 1', 'é', '"é"', 'x\\', '\\', '"\\d"', '\t', '  ', '', 'print x', '"doc"', 'assert (x, 1)', 'x <= 1', 'lambda x=1: x']
    + ['x)', '(x', '"', "'", "'''", '"""', '{', '}', ']', '...', '\f', 'x\f', 'f(', '1,']
    + ['a.b = 1', 'a.b[0] += 1', 'del a.b', 'a.b.append(1)', 'a.b.#c\nupdate(x)', 'a. \\\npop()', 'a.ｂ.ｐｏｐ()']
    + ['setattr(a, "b", 1)', '.' + 30 * '#']
)
separators = ['; ', '; ', ';', ' ; ', ';;', '; ;', '\n', '\n', '\n\n', '\n  ', '\n\t', '\n# c\n', ';\n', ' ', '\\\n', '\r\n']


def compile_part(part, mode):
    return compile(part, '<step 1>', mode, ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)


def compile_tree(code):
    tree = compile(code, '<step 1>', 'exec', ast.PyCF_ONLY_AST | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
    last = split_last_expression(tree, code)
    codes = [compile_part(tree, 'exec')] if tree.body or last is None else []
    return codes + ([] if last is None else [compile_part(last, 'eval')]), last is not None


def sets_attributes(code):
    try:
        return any(set_in(compile(code, '<step 1>', 'exec', ast.PyCF_ONLY_AST, dont_inherit=True).body))
    except (SyntaxError, ValueError):
        return False


def contents(code):
    positions = list(code.co_positions()) if hasattr(code, 'co_positions') else list(code.co_lnotab)
    constants = [contents(one) if isinstance(one, types.CodeType) else repr(one) for one in code.co_consts]
    return code.co_code, code.co_names, code.co_varnames, code.co_name, code.co_firstlineno, code.co_flags, positions, constants


warnings.simplefilter('ignore')
chosen = random.Random(int(sys.argv[2]))
cut = 0
for _ in range(int(sys.argv[3])):
    parts = [chosen.choice(pieces) + chosen.choice(separators) for _ in range(chosen.randint(1, 4))]
    step = ''.join(parts).rstrip('\n ;') if chosen.random() < 0.7 else ''.join(parts)
    if not SetAttributes.needs_tree(step):
        assert not sets_attributes(step), step
    compiled = compile_cut(step, compile_part)
    if compiled is None:
        continue
    cut += 1
    codes, shows_value = compiled
    expected, expects_value = compile_tree(step)
    if len(codes) > len(expected):
        # There are only comments before the last line.
        assert not codes.pop(0).co_names, step
    assert shows_value == expects_value and list(map(contents, codes)) == list(map(contents, expected)), step
print(cut)
