"""Shows and closes matplotlib's open figures: at the end of the step that left them open, if no IPython shell does, and for its Agg backend."""

import sys

from .bounded_bundle import bounded_bundle
from .display import publish, result
from .figure_value import figure_png


def take_figures():
    """Returns the `result` messages of all open figures, and closes them. Returns none if matplotlib is not loaded."""
    return [result(*bounded_bundle(content, {}), is_main=False) for content in _take()]


def show_figures(*_arguments, **_options):
    """Shows all open figures at once, and closes them: `plt.show()` of a backend that has no windows."""
    for content in _take():
        publish(content, {})


def _take():
    pyplot = sys.modules.get('matplotlib.pyplot')
    if pyplot is None or not hasattr(pyplot, 'get_fignums'):
        return []
    try:
        return [_content(pyplot.figure(number)) for number in pyplot.get_fignums()]
    finally:
        pyplot.close('all')


def _content(figure):
    return {'text/plain': repr(figure), 'image/png': figure_png(figure)}
