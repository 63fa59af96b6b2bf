"""Finds out which names of the context the code behind a value uses: functions, and the methods of classes that steps defined."""

import dis
import enum
import gc
import types

from ..cells import is_full
from ..immutable import is_atom
from ..looking import bases_of, has_kind, is_a, is_of_step, parts_of, vars_of
from .own_modules import is_of_own_module
from .words import is_attribute_for_everything, is_name_for_everything, is_text_for_everything, is_value_for_everything

objects_max = 50_000
_class_hooks = frozenset(('__new__', '__init_subclass__', '__class_getitem__', '__set_name__', '__get__'))
_stores = frozenset(('STORE_GLOBAL', 'DELETE_GLOBAL'))
_attributes = frozenset(('LOAD_ATTR', 'LOAD_METHOD', 'STORE_ATTR', 'DELETE_ATTR', 'IMPORT_NAME', 'IMPORT_FROM'))
_code_type = types.CodeType
_frames = {types.GeneratorType: 'gi_frame', types.CoroutineType: 'cr_frame', types.AsyncGeneratorType: 'ag_frame'}
_suspended = tuple(_frames)


class Reach:
    """`read` and `stored` are names; `is_everything` if that cannot be told."""

    def __init__(self):
        self.read, self.stored = set(), set()
        # All names and attributes that the code mentions, and `sys.path`.
        self.words = set()
        self.codes = []
        # Names of which the code sets an attribute: `f.n = 1`.
        self.changed = set()
        # Classes of steps by their ids, because their own code can take part in comparing them.
        self.classes = {}
        self.changes_attributes = False
        # Whether code sets attributes of a class without its name: `cls.n = 1`, `type(self).n = 1`.
        self.changes_classes = False
        # Whether it sets parts of values: `a[0] = 1`, `a.b = 1`.
        self.changes_parts = False
        self.has_own_code = False
        # Whether code of the user's own modules may run, which changes values that these share with names.
        self.has_code_of_modules = False
        self.has_finalizer = False
        self.is_everything = False


def reach_of(value, main):
    """Follows the functions that can be reached from a value, and those that they use in turn by name."""
    reach = Reach()
    # Functions that set attributes, and those that get a class, by their ids.
    setting, of_classes = set(), set()
    seen, queue = set(), [value]
    while queue and not reach.is_everything:
        thing = queue.pop()
        if type(thing) is types.ModuleType:
            reach.is_everything = reach.is_everything or is_value_for_everything(thing)
            reach.has_code_of_modules = reach.has_code_of_modules or is_of_own_module(thing)
            continue
        if id(thing) in seen:
            continue
        if thing is not value and not is_a(thing, type) and type(thing) is not types.FunctionType and is_atom(thing) and not is_a(thing, enum.Enum):
            continue
        seen.add(id(thing))
        if len(seen) > objects_max or is_value_for_everything(thing):
            reach.is_everything = True
        code = _code_of(thing, main)
        if code is not None:
            reach.has_own_code = True
            reach.codes.append(code)
            names, sets_attributes = _note(code, reach)
            queue += [main[name] for name in names if name in main]
            if sets_attributes:
                setting.add(id(thing))
        if is_a(thing, (types.FunctionType, type)) and not reach.has_code_of_modules:
            reach.has_code_of_modules = is_of_own_module(thing)
        if type(thing) is types.FunctionType:
            # Also of a library's function, which may wrap one of a step.
            queue += [cell.cell_contents for cell in thing.__closure__ or () if is_full(cell)]
            queue += [*(thing.__defaults__ or ()), *(thing.__kwdefaults__ or {}).values(), *thing.__dict__.values()]
        elif is_a(thing, type):
            if is_of_step(thing):
                reach.has_own_code = True
                reach.has_finalizer = reach.has_finalizer or '__del__' in vars_of(thing)
                reach.classes[id(thing)] = thing
                of_classes.update(id(function) for function in _functions_of_class(thing))
                queue += [*vars_of(thing).values(), *bases_of(thing), type(thing)]
        elif has_kind(thing, (staticmethod, classmethod)):
            queue.append(thing.__func__)
        elif type(thing) is property:
            queue += [thing.fget, thing.fset, thing.fdel]
        else:
            if type(thing) is types.MethodType and is_a(thing.__self__, type):
                of_classes.add(id(thing.__func__))
            queue.append(type(thing))
            if gc.is_tracked(thing):
                queue += [part for part in parts_of(thing) if part is not main]
    reach.changes_classes = reach.changes_classes or not setting.isdisjoint(of_classes)
    return reach


def _functions_of_class(kind):
    """The functions that get the class itself as their first argument."""
    for name, part in vars_of(kind).items():
        if type(part) is classmethod or (type(part) is staticmethod and name in _class_hooks):
            yield part.__func__
        elif type(part) is types.FunctionType and (name in _class_hooks or issubclass(kind, type)):
            yield part


def _code_of(thing, main):
    """The code of a step that a function has, or that a generator, a coroutine or a frame goes on with; None if there is none."""
    if type(thing) is types.FunctionType:
        return thing.__code__ if thing.__globals__ is main else None
    frame = thing if type(thing) is types.FrameType else _frame_of(thing)
    return frame.f_code if frame is not None and frame.f_globals is main else None


def _frame_of(thing):
    return getattr(thing, _frames[type(thing)]) if has_kind(thing, _suspended) else None


def _note(code, reach):
    """Notes what a code object and those nested in it use. Returns the names that they read, and whether they set attributes."""
    names, sets_attributes = set(), False
    for nested in _nested(code):
        if any(map(is_text_for_everything, nested.co_consts)):
            reach.is_everything = True
        reach.words.update(nested.co_names)
        before = loaded = None
        for instruction in dis.get_instructions(nested):
            if instruction.opname in _attributes and is_attribute_for_everything(instruction.argval):
                reach.is_everything = True
            if instruction.opname in _stores:
                reach.stored.add(instruction.argval)
            elif instruction.opname in ('LOAD_GLOBAL', 'LOAD_NAME'):
                names.add(instruction.argval)
                reach.is_everything = reach.is_everything or is_name_for_everything(instruction.argval)
            elif instruction.opname in ('STORE_ATTR', 'DELETE_ATTR'):
                reach.changes_attributes = reach.changes_parts = sets_attributes = True
                if loaded is not None:
                    reach.changed.add(loaded)
                if nested.co_varnames[:1] == ('cls',) or {'type', '__class__'}.intersection((*nested.co_names, *nested.co_freevars)):
                    reach.changes_classes = True
            elif instruction.opname in ('STORE_SUBSCR', 'DELETE_SUBSCR'):
                reach.changes_parts = True
            if instruction.argval == 'path' and before == 'sys':
                reach.words.add('sys.path')
            if instruction.argval == 'modules' and before == 'sys':
                reach.is_everything = True
            before = instruction.argval
            loaded = instruction.argval if instruction.opname in ('LOAD_GLOBAL', 'LOAD_NAME') else None
    reach.read |= names
    return names, sets_attributes


def _nested(code):
    found = [code]
    for one in found:
        found += [constant for constant in one.co_consts if type(constant) is _code_type]
    return found
