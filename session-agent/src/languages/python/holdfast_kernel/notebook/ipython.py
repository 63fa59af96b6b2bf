"""Stands in for the module `IPython` if it is not installed."""

from . import ipython_display as display  # noqa: F401

# Libraries ask the module for its version. This is the version of the last change that they check for.
version_info = (9, 0, 0)
__version__ = '9.0.0'


def get_ipython():
    """Returns None, as in every program that is not an IPython shell."""
    return None
