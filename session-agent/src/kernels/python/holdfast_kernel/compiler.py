"""Turns a step's source into code objects: the statements, and the last expression apart so that its value can be shown."""

import __future__
import _ast as ast
import linecache

source_characters_max = 16 * 1024 * 1024

_future_mask = 0
for _name in __future__.all_feature_names:
    _future_mask |= getattr(__future__, _name).compiler_flag


class Compiler:
    """Carries `from __future__` statements from step to step, as an interactive interpreter does."""

    def __init__(self):
        self._flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
        self._sources = []
        self._characters = 0

    def compile(self, code, filename):
        """The code objects of `code` in the order in which they run, and whether the last one is an expression to show.

        Raises SyntaxError, ValueError, RecursionError and the like.
        """
        self._remember(code, filename)
        tree = compile(code, filename, 'exec', ast.PyCF_ONLY_AST | self._flags, dont_inherit=True)
        last = tree.body[-1] if tree.body else None
        if not isinstance(last, ast.Expr) or _is_silenced(code, last):
            return [self._code(tree, filename, 'exec')], False
        del tree.body[-1]
        codes = [self._code(tree, filename, 'exec')] if tree.body else []
        return codes + [self._code(ast.Expression(last.value), filename, 'eval')], True

    def _code(self, tree, filename, mode):
        code = compile(tree, filename, mode, self._flags, dont_inherit=True)
        self._flags |= code.co_flags & _future_mask
        return code

    def _remember(self, code, filename):
        # Tracebacks and inspect look here; the oldest go where all together are over the limit.
        linecache.cache[filename] = (len(code), None, code.splitlines(True), filename)
        self._sources.append((filename, len(code)))
        self._characters += len(code)
        while self._characters > source_characters_max and len(self._sources) > 1:
            oldest, characters = self._sources.pop(0)
            linecache.cache.pop(oldest, None)
            self._characters -= characters


def _is_silenced(code, expression):
    """Whether a semicolon follows the last expression, which asks for its value not to be shown."""
    if not code.rstrip().endswith(';'):
        return False
    line = code.splitlines()[expression.end_lineno - 1]
    return line.encode('utf-8', 'replace')[expression.end_col_offset :].lstrip().startswith(b';')
