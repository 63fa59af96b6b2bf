"""Chooses matplotlib's backend: the notebook's, unless the session names one. It shows a figure at `plt.show()` or at the step's end."""

import os
import sys

from ..show.open_figures import show_figures

_default = 'agg'
_notebook = 'module://matplotlib_inline.backend_inline'


def choose_backend():
    """Sets the backend if matplotlib is loaded.

    The environment keeps the default: programs that the kernel starts have no notebook, and their Python may lack its backend.
    """
    matplotlib = sys.modules.get('matplotlib')
    if matplotlib is not None:
        matplotlib.rcParams['backend'] = first_backend()


def show_with_agg():
    """Lets `plt.show()` show figures also if code has chosen the backend Agg, as programs for machines without a display do."""
    agg = sys.modules.get('matplotlib.backends.backend_agg')
    if agg is not None:
        agg.show = show_figures


def first_backend():
    """The backend before any step has chosen one."""
    wanted = os.environ.get('MPLBACKEND') or _default
    return _notebook if wanted == _default and _has_notebook_backend() else wanted


def _has_notebook_backend():
    from importlib.util import find_spec

    return find_spec('IPython') is not None and find_spec('matplotlib_inline') is not None
