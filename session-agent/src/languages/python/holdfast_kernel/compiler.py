"""Turns a step's source into code objects: the statements, and the last expression apart so that its value can be shown."""

import __future__
import _ast as ast

from .sources import Sources

_future_mask = 0
for _name in __future__.all_feature_names:
    _future_mask |= getattr(__future__, _name).compiler_flag


class Compiler:
    """Carries `from __future__` statements from step to step, as an interactive interpreter does."""

    def __init__(self, use_commands):
        """`use_commands()` is called before the first code that has command lines in it runs."""
        self._use_commands = use_commands
        self._flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
        self._sources = Sources()

    def compile(self, code, filename):
        """The code objects of `code` in the order in which they run, and whether the last one is an expression to show.

        Raises SyntaxError, ValueError, RecursionError and the like.
        """
        self._sources.add(filename, code, _lines(code))
        tree, source = self._parse(code, filename)
        codes, shows_value = self._codes(tree, source, filename)
        # A class may be all that is left of a step, and has no code object of its own.
        if 'class' not in source:
            self._sources.watch(filename, codes)
        return codes, shows_value

    def _codes(self, tree, source, filename):
        last = tree.body[-1] if tree.body else None
        if not isinstance(last, ast.Expr) or _is_silenced(source, last):
            return [self._code(tree, filename, 'exec')], False
        del tree.body[-1]
        codes = [self._code(tree, filename, 'exec')] if tree.body else []
        return codes + [self._code(ast.Expression(last.value), filename, 'eval')], True

    def _parse(self, code, filename):
        try:
            return self._tree(code, filename), code
        except SyntaxError as error:
            from .command_lines import has_command_lines, translate

            translated = translate(code, filename) if has_command_lines(code) else code
            if translated == code:
                raise error from None
        self._use_commands()
        return self._tree(translated, filename), translated

    def _tree(self, code, filename):
        return compile(code, filename, 'exec', ast.PyCF_ONLY_AST | self._flags, dont_inherit=True)

    def _code(self, tree, filename, mode):
        code = compile(tree, filename, mode, self._flags, dont_inherit=True)
        self._flags |= code.co_flags & _future_mask
        return code


def _is_silenced(code, expression):
    """Whether a semicolon follows the last expression, which asks for its value not to be shown."""
    if ';' not in code:
        return False
    lines = _lines(code)[expression.end_lineno - 1 :]
    lines[0] = lines[0].encode('utf-8', 'replace')[expression.end_col_offset :].decode('utf-8', 'replace')
    # Only brackets around the expression may come before it.
    rest = ''.join(line.partition('#')[0] for line in lines)
    return rest.lstrip(') \t\f\r\n\\').startswith(';')


def _lines(code):
    """Lines as Python counts them; `str.splitlines` also splits at characters that end none."""
    return [line + '\n' for line in code.replace('\r\n', '\n').replace('\r', '\n').split('\n')]
