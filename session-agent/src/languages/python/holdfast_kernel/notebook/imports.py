"""Changes imports, so that libraries that look for IPython's kernel find this kernel's display and show frames as in notebooks."""

import sys

_stand_ins = {'IPython': 'ipython', 'IPython.display': 'ipython_display'}


def import_as_in_notebooks():
    """Makes imports of IPython use this kernel: the installed module with this kernel's display, or a stand-in if none is installed."""
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder())


class _Finder:
    def find_spec(self, name, path=None, target=None):
        if name not in _loaders and name not in _stand_ins:
            return None
        from importlib.machinery import ModuleSpec, PathFinder

        spec = PathFinder.find_spec(name, path)
        if spec is None and name in _stand_ins:
            return ModuleSpec(name, _StandIn(_stand_ins[name]), is_package=name == 'IPython')
        if spec is not None and name in _loaders:
            spec.loader = _loaders[name](spec.loader)
        return spec


class _StandIn:
    def __init__(self, own_name):
        self._own_name = own_name

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        from importlib import import_module

        own = import_module('.' + self._own_name, __package__)
        for name, value in own.__dict__.items():
            module.__dict__.setdefault(name, value)


class _DisplayHere:
    """Replaces IPython's display functions, which print text if no IPython shell runs, by the kernel's."""

    def __init__(self, loader):
        self._loader = loader

    def create_module(self, spec):
        return self._loader.create_module(spec)

    def exec_module(self, module):
        from ..show import display, display_handle

        module.__loader__ = module.__spec__.loader = self._loader
        self._loader.exec_module(module)
        module.display = display.display
        for name in ('DisplayHandle', 'update_display', 'clear_output', 'publish_display_data'):
            setattr(module, name, getattr(display_handle, name))


class _FramesAsInNotebooks:
    """Shows pandas a shell while it is loaded. Without one, pandas cuts frames to a terminal's columns, in HTML as well."""

    def __init__(self, loader):
        self._loader = loader

    def create_module(self, spec):
        return self._loader.create_module(spec)

    def exec_module(self, module):
        module.__loader__ = module.__spec__.loader = self._loader
        module.get_ipython = _Shell
        self._loader.exec_module(module)
        del module.get_ipython


class _Shell:
    kernel = None


_loaders = {'IPython.core.display_functions': _DisplayHere, 'pandas.core.config_init': _FramesAsInNotebooks}
