"""Turns a step's source into code objects: one for the statements, and one for the last expression if its value is to be shown."""

import __future__
import _ast as ast

from .last_expression import lines_of, split_last_expression
from .sources import Sources

_future_mask = 0
for _name in __future__.all_feature_names:
    _future_mask |= getattr(__future__, _name).compiler_flag


class Compiler:
    """Carries `from __future__` statements from step to step, as an interactive interpreter does."""

    def __init__(self, use_commands):
        """Calls `use_commands()` before code with command lines in it runs."""
        self._use_commands = use_commands
        self._flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
        self._sources = Sources()

    def compile(self, code, filename):
        """Returns the code objects of `code` in the order in which they run, and whether the last one is an expression to show.

        Raises SyntaxError, ValueError, RecursionError and the like.
        """
        self._sources.add(filename, code, lines_of(code))
        tree, source = self._parse(code, filename)
        codes, shows_value = self._codes(tree, source, filename)
        # A class that a step defines has no code object of its own, so nothing would tell when its source may be dropped.
        if 'class' not in source:
            self._sources.watch(filename, codes)
        return codes, shows_value

    def _codes(self, tree, source, filename):
        last = split_last_expression(tree, source)
        if last is None:
            return [self._code(tree, filename, 'exec')], False
        codes = [self._code(tree, filename, 'exec')] if tree.body else []
        return codes + [self._code(last, filename, 'eval')], True

    def _parse(self, code, filename):
        try:
            return self._tree(code, filename), code
        except SyntaxError as error:
            from ..notebook.command_lines import has_command_lines, translate

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
