"""Notices the attributes of modules and of their classes that steps may have set, which no snapshot has: `json.answer = 42`."""

import builtins
import re
import sys
import types

from ..looking import is_a, module_of, name_of, vars_of

_path = re.compile(r'(?<![\w.)\]])(?!(?:self|cls)\.)[^\W\d]\w*(?:\.[^\W\d]\w*)+')
# Bounded, because each of many paths in a long line would look through the rest of it.
_sets = re.compile(r'\s{0,80}(\[[^\n]{0,200}?\]\s{0,80})?(?::[^=\n]{1,80})?(?:[-+*/%&|^@]|//|\*\*|<<|>>)?=(?!=)')
_sets_by_name = re.compile(r'\b(?:setattr|delattr)\(\s*([^\W\d][\w.]*)\s*,\s*[\'"](\w+)[\'"]')
_changing = frozenset('append appendleft add clear discard extend insert pop popitem popleft remove reverse setdefault sort update'.split())
# A snapshot has these.
_saved = frozenset(('sys.argv', 'sys.path', 'os.environ', 'warnings.filters', 'logging.root', 'pandas.options', 'matplotlib.rcParams', 'matplotlib.pyplot.rcParams'))
_vars_of_module = types.ModuleType.__dict__['__dict__'].__get__
_definitions = (types.ModuleType, type, types.FunctionType, types.BuiltinFunctionType)
_missing = object()
# IPython sets these.
_of_shells = frozenset(('display', 'get_ipython'))


class SetAttributes:
    def __init__(self, main):
        self._main = main
        self._first_builtins = dict(vars(builtins))
        # Pairs of a path, such as `json.answer`, and whether a part of its value was set, in their order.
        self._paths = {}
        self._paths_max = 1000

    def note(self, code):
        """Notes what the code of a step sets. It may note too much, since only values are reported that no module has of itself."""
        # The most frequent case, as every step comes by.
        if '.' not in code and 'attr(' not in code:
            return
        for found in _path.finditer(code):
            path = found[0]
            owner, _, last = path.rpartition('.')
            setting = _sets.match(code, found.end())
            if setting:
                self._paths[path, setting[1] is not None] = None
            elif last in _changing and code.startswith('(', found.end()):
                self._paths[owner, True] = None
        for found in _sets_by_name.finditer(code):
            self._paths['%s.%s' % found.groups(), False] = None
        if len(self._paths) > self._paths_max:
            self._forget_values()

    def _forget_values(self):
        """Most paths begin with a value of the context, which a snapshot has, and there can be a new one in each step."""
        self._paths = {pair: None for pair in self._paths if _is_foreign(_first_owner(pair[0], self._main), self._main)}
        self._paths_max = max(self._paths_max, 2 * len(self._paths))

    def changed(self):
        """The paths whose values are not those that the module or the class had before."""
        found = (_changed_path(path.split('.'), sets_part, self._main) for path, sets_part in self._paths)
        return [*self._changed_builtins(), *(path for path in dict.fromkeys(found) if path is not None and path not in _saved)]

    def _changed_builtins(self):
        first, now = self._first_builtins, vars(builtins)
        names = [name for name in {**first, **now} if not name.startswith('_') and name not in _of_shells]
        return ['builtins.%s' % name for name in names if now.get(name, _missing) is not first.get(name, _missing)]


def _first_owner(path, main):
    name = path.partition('.')[0]
    return main.get(name, sys.modules.get(name))


def _changed_path(parts, sets_part, main):
    """The path by the name of the module, or None. It ends at the first object that is neither a module nor a class."""
    owner = _first_owner(parts[0], main)
    path = [_name_of(owner, parts[0])]
    for place, part in enumerate(parts[1:], 2):
        if not _is_foreign(owner, main):
            return None
        value = _attributes_of(owner).get(part, _missing)
        path.append(part)
        is_definition = is_a(value, _definitions)
        if value is _missing or (is_definition and sets_part and place == len(parts)):
            return None
        if place == len(parts) or not is_definition:
            is_set = place == len(parts) and not sets_part
            return None if is_set and _is_original(owner, part, value) else '.'.join(path)
        owner = value
    return None


def _is_foreign(owner, main):
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
