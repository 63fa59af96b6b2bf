"""Says which surroundings of the names a statement may have changed, by the words that it and the functions that it reaches use."""

import ast
import os
import sys
import types

from .commands import commands_in
from ..immutable import is_immutable
from ..looking import has_kind, is_a, is_of_step, module_of, mro_of, name_of
from .names_in import names_in
from .reach import reach_of
from ..surroundings import shared_objects

_environment, _import_path = '(environment)', '(import path)'
_decimal, _warnings, _logging = '(decimal context)', '(warning filters)', '(logging)'
_numpy, _pandas, _plots = '(numpy options)', '(pandas options)', '(plot options)'
random_state = '(random state)'
_of_words = {
    'chdir': '(working directory)',
    'fchdir': '(working directory)',
    'putenv': _environment,
    'unsetenv': _environment,
    'tzset': _environment,
    'load_dotenv': _environment,
    'addsitedir': _import_path,
    'random': random_state,
    'sample': random_state,
    'manual_seed': random_state,
    'umask': '(umask)',
    'setlocale': '(locale)',
    'setrlimit': '(limits)',
    'prlimit': '(limits)',
    'setrecursionlimit': '(recursion limit)',
    **dict.fromkeys(('getcontext', 'setcontext'), _decimal),
    **dict.fromkeys(('simplefilter', 'filterwarnings', 'resetwarnings'), _warnings),
    **dict.fromkeys(('set_printoptions', 'set_string_function', 'seterr', 'seterrcall'), _numpy),
    **dict.fromkeys(('set_option', 'reset_option', 'set_eng_float_format'), _pandas),
    **dict.fromkeys(('rc', 'rcdefaults', 'rc_file', 'use', 'switch_backend', 'set_theme', 'set_style', 'set_context', 'set_palette'), _plots),
    'setdefaulttimeout': '(socket timeout)',
    **dict.fromkeys(('register_dialect', 'unregister_dialect', 'field_size_limit'), '(csv dialects)'),
    **dict.fromkeys(('register_dataframe_accessor', 'register_series_accessor', 'register_index_accessor'), '(pandas accessors)'),
    'setfirstweekday': '(first day of the week)',
    **dict.fromkeys(('addLevelName', 'setLogRecordFactory', 'setLoggerClass'), _logging),
    **dict.fromkeys(('basicConfig', 'dictConfig', 'fileConfig', 'captureWarnings', 'setLevel', 'addHandler', 'removeHandler'), _logging),
}
# Methods of values that change surroundings all the same.
_of_values = frozenset(('setLevel', 'addHandler', 'removeHandler'))
_of_commands = {
    'cd': '(working directory)',
    'env': _environment,
    'set_env': _environment,
    'matplotlib': _plots,
}
# These are read more often than they are changed.
_of_places = {
    'environ': _environment,
    'environb': _environment,
    'sys.path': _import_path,
    'warnings.filters': _warnings,
    **dict.fromkeys(('prec', 'rounding', 'traps'), _decimal),
    'options': _pandas,
    'rcParams': _plots,
    'propagate': _logging,
    'argv': '(arguments)',
}
_changing = frozenset('append clear extend insert pop popitem remove reverse setdefault sort update'.split())


_with_owner = (types.BuiltinFunctionType, types.MethodType)


class ReachedSurroundings:
    """Follows statements in their order, and remembers what the values of lost names could have changed."""

    def __init__(self, main):
        self._main = main
        self._of_lost = {}

    def of(self, statement):
        main = self._main
        found = {_of_commands[name] for name, text in commands_in(statement) if name in _of_commands and (name != 'env' or text)}
        for name in names_in(statement)[1]:
            found |= self.of_value(main[name]) if name in main else self._of_lost.get(name, set())
        for node in ast.walk(statement):
            if isinstance(node, ast.Attribute) and (node.attr in _of_values or not self._belongs_to_value(node)):
                found |= _of_word(node.attr)
                found |= {'(registered classes)'} if node.attr == 'register' and self._is_abstract(node.value) else set()
            changed = _changed_part(node)
            if changed is not None:
                found.update(_of_places[place] for place in self._places_in(changed))
                found.update({_logging} if self._is_of_logging(changed) else ())
        return found

    def of_value(self, value):
        """The surroundings that the code behind a value may change. A mention of a module or a function counts as its use."""
        if is_immutable(value):
            return _of_callable(value)
        reach = reach_of(value, self._main)
        found = set().union(*map(_of_word, reach.words), *(_of_callable(self._main[name]) for name in reach.read if name in self._main))
        if reach.changes_parts or _changing & reach.words:
            found.update(_of_places[place] for place in _of_places if place in reach.words)
            found.update({_warnings} if {'warnings', 'filters'} <= reach.words else ())
            read = [self._main.get(name) for name in reach.read]
            found.update(_of_places[place] for place, held in (('environ', os.environ), ('sys.path', sys.path)) if any(one is held for one in read))
        return found | _of_callable(value)

    def lose(self, name, found):
        """Notes that the name is lost, by code that may have changed these."""
        value = self._main.get(name)
        self._of_lost[name] = self._of_lost.get(name, set()) | found | (self.of_value(value) if name in self._main else set())

    def _is_abstract(self, node):
        """Whether an expression stands for an abstract class of a library."""
        path = []
        while isinstance(node, ast.Attribute):
            path.append(node.attr)
            node = node.value
        value = self._main.get(node.id) if isinstance(node, ast.Name) else None
        for name in reversed(path):
            value = vars(value).get(name) if type(value) is types.ModuleType else None
        return is_a(value, type) and not is_of_step(value) and any(name_of(kind) == 'ABCMeta' for kind in mro_of(type(value)))

    def _module_of(self, node):
        """The name of the module that an expression stands for, or None."""
        if not isinstance(node, ast.Name):
            return None
        value = self._main.get(node.id)
        return vars(value).get('__name__') if is_a(value, types.ModuleType) else node.id

    def _is_of_logging(self, tree):
        """Whether an expression is a part of the module `logging`, or of a logger or handler."""
        values = [self._main.get(node.id) for node in ast.walk(tree) if isinstance(node, ast.Name)]
        return any(value is sys.modules.get('logging', self) or module_of(type(value)).partition('.')[0] == 'logging' for value in values)

    def _belongs_to_value(self, node):
        """Whether it is a part of a value other than a module, such as the method `random` of a generator."""
        return isinstance(node.value, ast.Name) and not is_a(self._main.get(node.value.id, sys), types.ModuleType)

    def _places_in(self, tree):
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute):
                place = '%s.%s' % (self._module_of(node.value), node.attr)
                if place in _of_places or node.attr in _of_places:
                    yield place if place in _of_places else node.attr
            elif isinstance(node, ast.Name):
                value = self._main.get(node.id)
                if value is os.environ or value is sys.path:
                    yield 'environ' if value is os.environ else 'sys.path'
                elif node.id == 'rcParams':
                    yield node.id


def _of_word(word):
    return {_of_words[word]} if word in _of_words else set()


def _of_callable(value):
    """A module and a function of one have other names in the context, perhaps: `from os import chdir as go`."""
    if type(value) is types.ModuleType:
        return _of_word(_text(vars(value).get('__name__')).rpartition('.')[2])
    if type(value) is types.FunctionType:
        return _of_word(value.__name__)
    if not has_kind(value, _with_owner) and module_of(type(value)).partition('_0')[0] != '_cython':
        return set()
    # A function of a module can be a method of an object that the module holds: `random.choice`.
    owner = value.__self__
    if any(owner is shared and name.endswith('random') for name, shared in shared_objects().items()):
        return {random_state}
    return _of_word(value.__name__) if type(value) is types.BuiltinFunctionType else set()


def _text(value):
    return value if type(value) is str else ''


def _changed_part(node):
    """The part of a value that a node sets, deletes, or changes by a method; None for other nodes."""
    if isinstance(node, (ast.Attribute, ast.Subscript)) and not isinstance(node.ctx, ast.Load):
        return node
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _changing:
        return node.func.value
    return None
