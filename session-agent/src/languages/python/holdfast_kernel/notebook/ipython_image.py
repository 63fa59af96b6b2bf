"""Stands in for the images and pages of `IPython.display` if it is not installed."""

import base64
import html

_beginnings = (
    (b'\x89PNG\r\n\x1a\n', 'image/png'),
    (b'\xff\xd8', 'image/jpeg'),
    (b'GIF8', 'image/gif'),
    (b'RIFF', 'image/webp'),
)


class Image:
    """An image from bytes, a file or a URL. A URL is shown as a link, unless `embed` is true.

    Raises ValueError if the format of the content is not known.
    """

    def __init__(self, data=None, url=None, filename=None, format=None, embed=None, width=None, height=None, **_):
        if isinstance(data, str):
            is_address = data.startswith(('http://', 'https://'))
            data, url, filename = None, data if is_address else url, filename if is_address else data
        self.data, self.url, self.filename, self.width, self.height = data, url, filename, width, height
        if filename is not None:
            with open(filename, 'rb') as file:
                self.data = file.read()
        elif url is not None and embed:
            from urllib.request import urlopen

            with urlopen(url) as response:
                self.data = response.read()
        self._mime = self._find_mime(format) if self.data is not None else 'text/html'

    def _repr_mimebundle_(self, include=None, exclude=None):
        size = {name: value for name, value in (('width', self.width), ('height', self.height)) if value is not None}
        if self.data is None:
            attributes = ''.join(' %s="%s"' % (name, html.escape(str(value))) for name, value in size.items())
            return {'text/html': '<img src="%s"%s/>' % (html.escape(self.url or ''), attributes)}
        return {self._mime: base64.b64encode(self.data).decode('ascii')}, {self._mime: size} if size else {}

    def _find_mime(self, format):
        if format:
            return 'image/' + {'jpg': 'jpeg'}.get(format.lower(), format.lower())
        for beginning, mime in _beginnings:
            if self.data.startswith(beginning):
                return mime
        raise ValueError('the image is neither PNG, JPEG, GIF nor WebP; name its format with `format`')

    def __repr__(self):
        return '<IPython.core.display.Image object>'


class IFrame:
    """A page by its URL."""

    __module__ = 'IPython.lib.display'

    def __init__(self, src, width, height, **params):
        self.src, self.width, self.height, self.params = src, width, height, params

    def _repr_html_(self):
        from urllib.parse import urlencode

        address = self.src + ('?' + urlencode(self.params) if self.params else '')
        attributes = (html.escape(str(value)) for value in (self.width, self.height, address))
        return '<iframe width="%s" height="%s" src="%s" frameborder="0" allowfullscreen></iframe>' % tuple(attributes)
