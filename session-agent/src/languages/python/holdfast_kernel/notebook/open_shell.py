"""Opens the kernel's IPython shell when something first needs it: building one takes longer than most steps. IPython may be missing."""

import _thread
import builtins
import sys

from ..agent import interrupt
from ..show import display as without_ipython

shell = None
_build = None
_is_building = False
_lock = _thread.RLock()
_failure = None


def prepare(build):
    """Sets the function that builds the shell, and puts IPython's names among the builtins. Without it, as in a zygote, none opens."""
    global _build
    _build = build
    builtins.get_ipython = get_ipython
    builtins.display = display
    if 'IPython' in sys.modules:
        builtins.__IPYTHON__ = True


def open_shell():
    """Returns the shell, or None if IPython is missing, cannot be loaded, or is just building it."""
    global shell, _is_building, _failure
    if shell is not None or _build is None or (_failure and not isinstance(_failure, ModuleNotFoundError)):
        return shell
    with _lock:
        if shell is None and not _is_building:
            _is_building = True
            try:
                # Half a shell could not be built a second time.
                with interrupt.Uninterrupted():
                    shell = _build()
            except Exception as error:
                # Python goes on without IPython if that is missing or broken.
                _failure = error.with_traceback(None)
            finally:
                _is_building = False
    return shell


def why_missing():
    """Says what code that needs IPython needs, and why it is not there if more than its absence is the reason."""
    if isinstance(_failure, ModuleNotFoundError) and _failure.name == 'IPython':
        return "it needs the package 'ipython' (python -m pip install ipython)"
    return "it needs the package 'ipython', which cannot be used: %s: %s" % (type(_failure).__name__, _failure)


def get_ipython():
    """Returns the IPython shell of this kernel."""
    found = open_shell()
    if found is None:
        raise NameError("name 'get_ipython' is not defined: " + why_missing())
    return found


def display(*values, **options):
    """Shows the values at once, each as a result of the running step; see `IPython.display.display`."""
    if open_shell() is None:
        return without_ipython.display(*values, **options)
    from IPython.display import display as shown

    return shown(*values, **options)
