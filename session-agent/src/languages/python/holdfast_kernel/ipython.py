"""What stands in for the module `IPython` where it is not installed."""

from . import ipython_display as display  # noqa: F401

# Libraries that see the module ask for its version; that of the last change which they look for.
version_info = (9, 0, 0)
__version__ = '9.0.0'


def get_ipython():
    """None, as in every program that is not an IPython shell."""
    return None
