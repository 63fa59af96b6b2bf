"""Tells the user's own modules, whose state changes with that of the context, from installed libraries."""

import os
import sys
import types

from ..looking import is_a, module_of

_kernel = __file__.rpartition('holdfast_kernel')[0] + 'holdfast'
_version = 'python%d.%d' % sys.version_info[:2]
_standard = (os.path.dirname(os.__file__), os.path.join(sys.base_exec_prefix, getattr(sys, 'platlibdir', 'lib'), _version))
_libraries = (*(os.path.join(folder, '') for folder in _standard), _kernel)
_vars_of_module = types.ModuleType.__dict__['__dict__'].__get__


class OwnModules:
    """Remembers them until other modules are loaded: after a fork, a look at all modules copies the memory that they are in."""

    def __init__(self):
        self._mark, self._modules = None, []

    def now(self):
        mark = len(sys.modules), next(reversed(sys.modules), None)
        if mark != self._mark:
            self._mark, self._modules = mark, own_modules()
        return self._modules


def own_modules():
    return [module for module in list(sys.modules.values()) if is_a(module, types.ModuleType) and is_of_own_module(module)]


def is_of_own_module(value):
    """Whether a module, a function or a class comes from a file that is neither Python's nor an installed library's."""
    if is_a(value, types.ModuleType):
        module = value
    else:
        name = module_of(value)
        module = sys.modules.get(name) if name != '__main__' else None
    file = _vars_of_module(module).get('__file__') if is_a(module, types.ModuleType) else None
    return type(file) is str and not file.startswith(_libraries) and '-packages' not in file
