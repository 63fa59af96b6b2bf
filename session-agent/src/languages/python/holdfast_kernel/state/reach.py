"""Finds out which names of the context the code behind a value uses: functions, and the methods of classes that steps defined."""

import dis
import gc
import types

from .cells import is_full

objects_max = 50_000
# Code that mentions one of these can get at any name.
everything = frozenset(('exec', 'eval', 'globals', 'vars', 'locals', 'compile', '__main__', '__dict__', '_getframe', 'get_ipython', 'get_objects', '__import__', 'setattr', 'delattr', 'inspect'))
_stores = frozenset(('STORE_GLOBAL', 'DELETE_GLOBAL'))
_code_type = types.CodeType


class Reach:
    """`read` and `stored` are names; `is_everything` if that cannot be told."""

    def __init__(self):
        self.read, self.stored = set(), set()
        # All names and attributes that the code mentions, and `sys.path`.
        self.words = set()
        self.classes = set()
        self.changes_attributes = False
        # Whether code sets attributes of a class without its name: `cls.n = 1`, `type(self).n = 1`.
        self.changes_classes = False
        # Whether it sets parts of values: `a[0] = 1`, `a.b = 1`.
        self.changes_parts = False
        self.has_own_code = False
        self.is_everything = False


def reach_of(value, main):
    """Follows the functions that can be reached from a value, and those that they use in turn by name."""
    reach = Reach()
    seen, queue = set(), [value]
    while queue and not reach.is_everything:
        thing = queue.pop()
        if id(thing) in seen or isinstance(thing, types.ModuleType):
            continue
        seen.add(id(thing))
        if len(seen) > objects_max:
            reach.is_everything = True
        code = _code_of(thing, main)
        if code is not None:
            reach.has_own_code = True
            for name in _note(code, reach):
                if name in main:
                    queue.append(main[name])
            queue += [cell.cell_contents for cell in thing.__closure__ or () if is_full(cell)]
            queue += [*(thing.__defaults__ or ()), *(thing.__kwdefaults__ or {}).values(), *thing.__dict__.values()]
        elif isinstance(thing, type):
            if thing.__module__ == '__main__':
                reach.has_own_code = True
                reach.classes.add(thing)
                queue += [*vars(thing).values(), *thing.__bases__]
        elif type(thing) in (staticmethod, classmethod):
            queue.append(thing.__func__)
        elif type(thing) is property:
            queue += [thing.fget, thing.fset, thing.fdel]
        elif type(thing) is not types.FunctionType:
            queue.append(type(thing))
            if gc.is_tracked(thing):
                queue += [part for part in gc.get_referents(thing) if part is not main]
    return reach


def _code_of(thing, main):
    return thing.__code__ if type(thing) is types.FunctionType and thing.__globals__ is main else None


def _note(code, reach):
    """Notes what a code object and those nested in it use, and returns the names that they read."""
    names = set()
    for nested in _nested(code):
        if everything.intersection(nested.co_names):
            reach.is_everything = True
        reach.words.update(nested.co_names)
        before = None
        for instruction in dis.get_instructions(nested):
            if instruction.opname in _stores:
                reach.stored.add(instruction.argval)
            elif instruction.opname in ('LOAD_GLOBAL', 'LOAD_NAME'):
                names.add(instruction.argval)
            elif instruction.opname in ('STORE_ATTR', 'DELETE_ATTR'):
                reach.changes_attributes = reach.changes_parts = True
                if nested.co_varnames[:1] == ('cls',) or {'type', '__class__'}.intersection((*nested.co_names, *nested.co_freevars)):
                    reach.changes_classes = True
            elif instruction.opname in ('STORE_SUBSCR', 'DELETE_SUBSCR'):
                reach.changes_parts = True
            if instruction.argval == 'path' and before == 'sys':
                reach.words.add('sys.path')
            before = instruction.argval
    reach.read |= names
    return names


def _nested(code):
    found = [code]
    for one in found:
        found += [constant for constant in one.co_consts if type(constant) is _code_type]
    return found
