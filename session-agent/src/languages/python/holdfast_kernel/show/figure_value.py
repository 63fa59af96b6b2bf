"""Shows matplotlib's figures as values, because they have no display method of their own."""

import sys


def is_figure(value):
    """Whether a value is a figure of matplotlib. Does not load matplotlib."""
    kind = getattr(sys.modules.get('matplotlib.figure'), 'Figure', None)
    return isinstance(kind, type) and issubclass(type(value), kind)


def figure_png(figure):
    import io

    image = io.BytesIO()
    figure.savefig(image, format='png', bbox_inches='tight')
    return image.getvalue()


def close_figure(figure):
    """Closes a figure that has been shown, so that it is not shown again with the open figures at the step's end."""
    pyplot = sys.modules.get('matplotlib.pyplot')
    if pyplot is not None:
        pyplot.close(figure)
