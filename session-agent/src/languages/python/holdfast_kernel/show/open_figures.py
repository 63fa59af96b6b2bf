"""Shows and closes matplotlib's open figures at the end of the step that left them open."""

import io
import sys

from .display import bundle


def take_figures():
    """Returns the `result` messages of all open figures, and closes them. Returns none if matplotlib is not loaded."""
    pyplot = sys.modules.get('matplotlib.pyplot')
    if pyplot is None or not hasattr(pyplot, 'get_fignums'):
        return []
    try:
        return [bundle(_Png(pyplot.figure(number)), is_main=False) for number in pyplot.get_fignums()]
    finally:
        pyplot.close('all')


class _Png:
    def __init__(self, figure):
        self._figure = figure

    def __repr__(self):
        return repr(self._figure)

    def _repr_png_(self):
        image = io.BytesIO()
        self._figure.savefig(image, format='png', bbox_inches='tight')
        return image.getvalue()
