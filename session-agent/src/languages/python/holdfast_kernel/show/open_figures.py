"""Shows and closes matplotlib's open figures at the end of the step that left them open, if no IPython shell does."""

import sys

from .bounded_bundle import bounded_bundle
from .display import result
from .figure_value import figure_png


def take_figures():
    """Returns the `result` messages of all open figures, and closes them. Returns none if matplotlib is not loaded."""
    pyplot = sys.modules.get('matplotlib.pyplot')
    if pyplot is None or not hasattr(pyplot, 'get_fignums'):
        return []
    try:
        return [_message(pyplot.figure(number)) for number in pyplot.get_fignums()]
    finally:
        pyplot.close('all')


def _message(figure):
    content = {'text/plain': repr(figure), 'image/png': figure_png(figure)}
    return result(*bounded_bundle(content, {}), is_main=False)
