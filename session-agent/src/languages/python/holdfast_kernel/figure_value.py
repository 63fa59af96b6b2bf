"""matplotlib's figures as values, which have no display method of their own."""

import sys


def is_figure(value):
    """Whether a value is a figure of matplotlib, which is not loaded to find that out."""
    kind = getattr(sys.modules.get('matplotlib.figure'), 'Figure', None)
    return isinstance(kind, type) and issubclass(type(value), kind)


def figure_png(figure):
    import io

    image = io.BytesIO()
    figure.savefig(image, format='png', bbox_inches='tight')
    return image.getvalue()


def close_figure(figure):
    """Takes a figure that has been shown from those that are shown at the step's end because they are still open."""
    pyplot = sys.modules.get('matplotlib.pyplot')
    if pyplot is not None:
        pyplot.close(figure)
