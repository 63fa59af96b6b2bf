"""Compares images with the ones that matplotlib makes by itself.

Reads lines of `{code, image, format}` on stdin: `code` draws the figures, and the last figure is the expected one. Answers each by a line
`{equal, size, expected, lines}`: whether all pixels (of an SVG, all text without dates and ids) are equal, the sizes, and the number of
lines in the expected figure. Uses no part of the kernel.
"""

import base64
import io
import json
import re
import sys

import matplotlib

matplotlib.use('agg')
import matplotlib.pyplot as plt  # noqa: E402
import numpy  # noqa: E402
from PIL import Image  # noqa: E402


def main():
    for line in sys.stdin:
        print(json.dumps(compare(**json.loads(line))), flush=True)


def compare(code, image, format):
    plt.close('all')
    matplotlib.rcdefaults()
    exec(code, {'plt': plt})
    figure = plt.gcf()
    lines = sum(len(axes.lines) for axes in figure.axes)
    scale = 2 if format == 'retina' else 1
    expected = rendered(figure, 'svg' if format == 'svg' else 'png', figure.dpi * scale)
    if format == 'svg':
        own, given = without_ids(expected.decode()), without_ids(image)
        return {'equal': own == given, 'size': len(given), 'expected': len(own), 'lines': lines}
    own, given = pixels(expected), pixels(base64.b64decode(image))
    return {'equal': numpy.array_equal(own, given), 'size': given.shape, 'expected': own.shape, 'lines': lines}


def rendered(figure, format, dpi):
    stream = io.BytesIO()
    figure.savefig(stream, format=format, dpi=dpi, bbox_inches='tight')
    return stream.getvalue()


def pixels(png):
    return numpy.asarray(Image.open(io.BytesIO(png)).convert('RGBA'))


def without_ids(svg):
    """Numbers the ids, which are random, in the order in which they come."""
    svg = re.sub(r'<dc:date>.*?</dc:date>', '', svg)
    known = {}
    return re.sub(r'\b[mp][0-9a-f]{10}\b', lambda found: known.setdefault(found[0], 'id%d' % len(known)), svg).strip()


main()
