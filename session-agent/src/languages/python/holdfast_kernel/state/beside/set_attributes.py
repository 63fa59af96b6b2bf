"""Notices the attributes of modules and of their classes that steps set, which no snapshot has: `json.answer = 42`."""

import _ast as ast
import builtins
import contextlib
import sys
import types

from ..looking import is_a, module_of, name_of, vars_of

_changing = frozenset('append appendleft add clear discard extend insert pop popitem popleft remove reverse setdefault sort update'.split())
# A snapshot has these, or each kernel has its own.
_left_out = frozenset(
    'sys.path sys.argv sys.modules sys.stdin sys.stdout sys.stderr os.environ warnings.filters logging.root pandas.options matplotlib.rcParams '
    'matplotlib.pyplot.rcParams'.split()
)
_vars_of_module = types.ModuleType.__dict__['__dict__'].__get__
_definitions = (types.ModuleType, type, types.FunctionType, types.BuiltinFunctionType)
_functions = (ast.FunctionDef, ast.AsyncFunctionDef)
_missing = object()
# A snapshot needs these, and they have no state.
_loaded_again = frozenset(('pickle', 'cloudpickle'))
# IPython sets these.
_of_shells = frozenset(('display', 'get_ipython'))


class SetAttributes:
    def __init__(self, main):
        self._main = main
        self._first_builtins = dict(vars(builtins))
        # By pairs of a path, such as `json.answer`, and whether a part of its value is set: the value before, if there was one.
        self._paths = {}
        self._paths_max = 1000

    def note(self, source, tree):
        """Notes what a step will set that is about to run."""
        # The most frequent case, as every step comes by.
        if '.' not in source and 'attr(' not in source:
            return
        for path, sets_part in set_in(tree.body):
            if (path, sets_part) not in self._paths:
                self._paths[path, sets_part] = _value_at(path.split('.'), self._main)
        if len(self._paths) > self._paths_max:
            self._forget_values()

    def _forget_values(self):
        """Most paths begin with a value of the context, which a snapshot has, and there can be a new one in each step."""
        main = self._main
        self._paths = {pair: value for pair, value in self._paths.items() if is_foreign(_first_owner(pair[0], main), main)}
        self._paths_max = max(self._paths_max, 2 * len(self._paths))

    def changed(self):
        """The paths whose values are not those that the module or the class had before."""
        found = (_changed_path(path.split('.'), sets_part, before, self._main) for (path, sets_part), before in self._paths.items())
        return [*self._changed_builtins(), *(path for path in dict.fromkeys(found) if path is not None and is_listed(path))]

    def undo(self, changed):
        """Gives the attributes that `changed` lists, and the built-in names, the values that they had before. For a process that goes on without
        the code of steps.
        """
        vars(builtins).update(self._first_builtins)
        for (path, sets_part), before in self._paths.items():
            if path_of_module(path, sets_part, self._main) not in changed:
                continue
            *parts, name = path.split('.')
            owner = _value_at(parts, self._main)
            if sets_part or not is_foreign(owner, self._main):
                continue
            if before is not _missing:
                with contextlib.suppress(Exception):
                    setattr(owner, name, before)
            elif _name_of(owner, '') in _loaded_again:
                # The step that set it has imported the module, too.
                del sys.modules[_name_of(owner, '')]

    def _changed_builtins(self):
        first, now = self._first_builtins, vars(builtins)
        names = [name for name in {**first, **now} if not name.startswith('_') and name not in _of_shells]
        return ['builtins.%s' % name for name in names if now.get(name, _missing) is not first.get(name, _missing)]


def is_listed(path):
    """Whether a change of this attribute is one of a module, and not of a setting that a snapshot has."""
    return path not in _left_out


def set_in(statements, local=frozenset()):
    """Pairs as above. `local` are the names of variables of functions."""
    for statement in statements:
        inner = local | _names_of_function(statement) if isinstance(statement, _functions) else local
        for target in _targets_of(statement):
            found = _path_of(target)
            if found is not None and found[0].partition('.')[0] not in local:
                yield found
        for field in ('body', 'orelse', 'finalbody', 'handlers', 'cases'):
            yield from set_in(getattr(statement, field, ()), inner)


def _targets_of(statement):
    """The expressions to which a statement gives another value, or which it changes by a method."""
    if isinstance(statement, (ast.Assign, ast.Delete)):
        return [part for target in statement.targets for part in getattr(target, 'elts', [target])]
    if isinstance(statement, ast.AugAssign) or (isinstance(statement, ast.AnnAssign) and statement.value is not None):
        return [statement.target]
    if not isinstance(statement, ast.Expr) or not isinstance(statement.value, ast.Call):
        return []
    call = statement.value
    if isinstance(call.func, ast.Attribute) and call.func.attr in _changing:
        return [ast.Subscript(call.func.value, call.func, ast.Store())]
    is_by_name = isinstance(call.func, ast.Name) and call.func.id in ('setattr', 'delattr') and len(call.args) > 1
    if is_by_name and isinstance(call.args[1], ast.Constant) and type(call.args[1].value) is str:
        return [ast.Attribute(call.args[0], call.args[1].value, ast.Store())]
    return []


def _path_of(target):
    """The path of a target, and whether a part of its value is set; None for other targets."""
    sets_part = isinstance(target, ast.Subscript)
    while isinstance(target, ast.Subscript):
        target = target.value
    parts = []
    while isinstance(target, ast.Attribute):
        parts.append(target.attr)
        target = target.value
    if not parts or not isinstance(target, ast.Name):
        return None
    return '.'.join([target.id, *reversed(parts)]), sets_part


def _names_of_function(function):
    arguments = function.args
    named = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, *filter(None, (arguments.vararg, arguments.kwarg))]
    assigned = (target for statement in function.body for target in _targets_of(statement))
    return {argument.arg for argument in named} | {target.id for target in assigned if isinstance(target, ast.Name)}


def path_of_module(path, sets_part, main):
    """The path by the name of the module, up to the first object that is neither a module nor a class. None if it begins with another value, or
    if a method of a module or a class is called that has the name of one that changes values: `np.char.add(a, b)`.
    """
    first, *parts = path.split('.')
    value = _first_owner(first, main)
    found = [_name_of(value, first)]
    for part in parts:
        if not is_foreign(value, main):
            break
        found.append(part)
        value = _attributes_of(value).get(part)
    else:
        if sets_part and is_a(value, _definitions):
            return None
    return '.'.join(found) if len(found) > 1 else None


def _value_at(parts, main):
    """The value of a path, or a mark if there is none yet or it cannot be told without running code."""
    owner = _first_owner(parts[0], main)
    for part in parts[1:]:
        if not is_foreign(owner, main):
            return _missing
        owner = _attributes_of(owner).get(part, _missing)
    return owner


def _first_owner(path, main):
    name = path.partition('.')[0]
    return main.get(name, sys.modules.get(name))


def _changed_path(parts, sets_part, before, main):
    """The path by the name of the module, or None. It ends at the first object that is neither a module nor a class."""
    owner = _first_owner(parts[0], main)
    path = [_name_of(owner, parts[0])]
    for place, part in enumerate(parts[1:], 2):
        if not is_foreign(owner, main):
            return None
        value = _attributes_of(owner).get(part, _missing)
        path.append(part)
        is_definition = is_a(value, _definitions)
        if value is _missing and before is not _missing and place == len(parts):
            return '.'.join(path)
        if value is _missing or (is_definition and sets_part and place == len(parts)):
            return None
        if place == len(parts) or not is_definition:
            is_set = place == len(parts) and not sets_part
            return None if is_set and (value is before or _is_original(owner, part, value)) else '.'.join(path)
        owner = value
    return None


def is_foreign(owner, main):
    """Whether it is a module or a class that no step defined, so that only its name is in a snapshot."""
    if is_a(owner, types.ModuleType):
        return _attributes_of(owner) is not main and sys.modules.get(_name_of(owner, '')) is owner
    return is_a(owner, type) and module_of(owner) != '__main__'


def _attributes_of(owner):
    return _vars_of_module(owner) if is_a(owner, types.ModuleType) else vars_of(owner)


def _name_of(value, name):
    own = _attributes_of(value).get('__name__') if is_a(value, types.ModuleType) else None
    return own if type(own) is str else name


def _is_original(owner, name, value):
    """Whether the module or the class can have had it before: a function, a class or a module of the same library."""
    if is_a(value, types.ModuleType):
        return sys.modules.get(_name_of(value, '')) is value
    if not is_a(value, _definitions) or (name_of(value) if is_a(value, type) else value.__name__) != name:
        return False
    library = _name_of(owner, '') if is_a(owner, types.ModuleType) else module_of(owner)
    return module_of(value).lstrip('_').partition('.')[0] in (library.lstrip('_').partition('.')[0], 'builtins')
