"""Changes modules while they are imported: IPython finds this kernel's shell, and pandas and matplotlib work as in notebooks."""

import sys

from . import open_shell
from .plot_backend import choose_backend, show_with_agg


def import_as_in_notebooks():
    """Call before any of these modules is imported. They need not be installed."""
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder())


class _Finder:
    def find_spec(self, name, path=None, target=None):
        if name not in _loaders:
            return None
        from importlib.machinery import PathFinder

        spec = PathFinder.find_spec(name, path)
        if spec is not None:
            spec.loader = _loaders[name](spec.loader)
        return spec


class _Loader:
    def __init__(self, loader):
        self._loader = loader

    def create_module(self, spec):
        return self._loader.create_module(spec)

    def exec_module(self, module):
        module.__loader__ = module.__spec__.loader = self._loader
        self._execute(module)

    def _execute(self, module):
        self._loader.exec_module(module)


class _OpensShell(_Loader):
    """Makes IPython's own ways to its shell open the kernel's, which is not built before something asks for it."""

    def _execute(self, module):
        super()._execute(module)
        shell_class = module.InteractiveShell
        is_initialized, instance = shell_class.initialized.__func__, shell_class.instance.__func__

        def initialized(cls):
            open_shell.open_shell()
            return is_initialized(cls)

        def the_instance(cls, *arguments, **options):
            open_shell.open_shell()
            return instance(cls, *arguments, **options)

        shell_class.initialized = classmethod(initialized)
        shell_class.instance = classmethod(the_instance)


class _FramesAsInNotebooks(_Loader):
    """Shows pandas a shell while it is loaded. Without one, pandas cuts frames to a terminal's columns, in HTML as well."""

    def _execute(self, module):
        module.get_ipython = _Shell
        super()._execute(module)
        del module.get_ipython


class _PlotsAsInNotebooks(_Loader):
    def _execute(self, module):
        super()._execute(module)
        choose_backend()


class _ShowsWithAgg(_Loader):
    def _execute(self, module):
        super()._execute(module)
        show_with_agg()


class _CommsOfThisKernel(_Loader):
    """Makes the comms of widgets comms of this kernel."""

    def _execute(self, module):
        super()._execute(module)
        # The user's own module may have this name.
        if hasattr(module, 'create_comm'):
            from ..comms.kernel_comm import KernelComm

            module.create_comm = KernelComm


class _OlderCommsOfThisKernel(_Loader):
    """Does the same for libraries that make comms of Jupyter's kernel, as bokeh does. Without that kernel, theirs lead nowhere."""

    def _execute(self, module):
        super()._execute(module)
        from ..comms.kernel_comm import KernelComm

        module.BaseComm.publish_msg = KernelComm.publish_msg


class _Shell:
    kernel = None


_loaders = {
    'IPython.core.interactiveshell': _OpensShell,
    'pandas.core.config_init': _FramesAsInNotebooks,
    'matplotlib': _PlotsAsInNotebooks,
    'matplotlib.backends.backend_agg': _ShowsWithAgg,
    'comm': _CommsOfThisKernel,
    'ipykernel.comm.comm': _OlderCommsOfThisKernel,
}
