"""Turns a step's source into code objects: one or more for the statements, and one for the last expression if its value is to be shown."""

import __future__
import _ast as ast

from ..notebook import open_shell
from ..notebook.translate import translate_accepted, translate_rejected
from .last_expression import lines_of, split_last_expression
from .sources import Sources

_future_mask = 0
for _name in __future__.all_feature_names:
    _future_mask |= getattr(__future__, _name).compiler_flag


def features_in(namespace):
    """The compiler's flags for the features of `__future__` that have a name there."""
    flags = 0
    for value in list(namespace.values()):
        if type(value) is __future__._Feature:
            flags |= value.compiler_flag
    return flags


class Compiler:
    """Carries `from __future__` statements from step to step, as an interactive interpreter does."""

    def __init__(self, namespace, set_attributes):
        self._namespace = namespace
        self._set_attributes = set_attributes
        self._flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
        self._sources = Sources()

    def future_flags(self):
        return self._flags & _future_mask

    def adopt_features(self):
        """Takes the features that names of the namespace stand for: another kernel has imported them."""
        self._flags |= features_in(self._namespace)

    def compile(self, code, filename):
        """Returns the code objects of `code` in the order in which they run, whether the last one is an expression to show, and the
        Python that they come from, which is `code` unless IPython has translated it.

        Raises SyntaxError, ValueError, RecursionError and the like.
        """
        self._sources.add(filename, code, lines_of(code))
        tree, source = self._parse(code, filename)
        self._set_attributes.note(source, tree)
        return (*self._codes(tree, source, filename), source)

    def ran(self, filename, codes, source):
        """Call when these code objects have run. Only `codes` may hold them then."""
        # A class that a step defines has no code object of its own, so nothing would tell when its source may be dropped.
        if 'class' not in source:
            self._sources.ran(filename, codes)

    def _parse(self, code, filename):
        try:
            tree = self._tree(code, filename)
        except SyntaxError as error:
            python = translate_rejected(code, error)
        else:
            python = translate_accepted(code, self._namespace)
            if python is code:
                return tree, code
        # Tracebacks point at columns of the lines that ran.
        self._sources.replace(filename, python, lines_of(python))
        return self._tree(python, filename), python

    def _codes(self, tree, source, filename):
        if open_shell.shell is not None:
            from ..notebook.shell_statements import codes_as_configured

            codes = codes_as_configured(open_shell.shell, tree, lambda part, mode: self._code(part, filename, mode))
            if codes is not None:
                return codes, False
        last = split_last_expression(tree, source)
        trees = _parts(tree) if '__future__' in source else [tree]
        codes = []
        for part in trees:
            if part.body or last is None:
                codes.append(self._code(part, filename, 'exec'))
        if last is not None:
            codes.append(self._code(last, filename, 'eval'))
        return codes, last is not None

    def _tree(self, code, filename):
        return compile(code, filename, 'exec', ast.PyCF_ONLY_AST | self._flags, dont_inherit=True)

    def _code(self, tree, filename, mode):
        code = compile(tree, filename, mode, self._flags, dont_inherit=True)
        self._flags |= code.co_flags & _future_mask
        return code


def _parts(tree):
    """Cuts the statements before each `from __future__`, which must come first in what is compiled. IPython compiles each by itself."""
    parts = [[]]
    for statement in tree.body:
        if isinstance(statement, ast.ImportFrom) and statement.module == '__future__' and parts[-1]:
            parts.append([])
        parts[-1].append(statement)
    return [ast.Module(body, []) for body in parts]
