"""Stands in for `IPython.display` if it is not installed: objects that show text of some MIME type."""

import html
import json

from ..show.display import display  # noqa: F401
from ..show.display_handle import DisplayHandle, clear_output, publish_display_data, update_display  # noqa: F401
from .ipython_image import IFrame, Image  # noqa: F401


class DisplayObject:
    """Content for one MIME type, from a value, a file or a URL. Its repr is that of IPython's object."""

    _mime = 'text/plain'

    def __init__(self, data=None, url=None, filename=None, metadata=None):
        self.data, self.url, self.filename, self.metadata = data, url, filename, metadata or {}
        if url is None and isinstance(data, str) and data.startswith(('http://', 'https://')):
            self.data, self.url = None, data
        if filename is not None:
            with open(filename, encoding='utf-8') as file:
                self.data = file.read()
        elif self.url is not None:
            from urllib.request import urlopen

            with urlopen(self.url) as response:
                self.data = response.read().decode('utf-8', 'replace')

    def _content(self):
        return self.data

    def _repr_mimebundle_(self, include=None, exclude=None):
        return {self._mime: self._content()}, {self._mime: self.metadata} if self.metadata else {}

    def __repr__(self):
        return '<IPython.core.display.%s object>' % type(self).__name__


class TextDisplayObject(DisplayObject):
    pass


class Pretty(TextDisplayObject):
    def _repr_pretty_(self, printer, is_cycle):
        printer.text(self.data)

    def _repr_mimebundle_(self, include=None, exclude=None):
        return {}


class HTML(TextDisplayObject):
    _mime = 'text/html'

    def _repr_html_(self):
        return self.data

    def __html__(self):
        return self.data


class Markdown(TextDisplayObject):
    _mime = 'text/markdown'


class Latex(TextDisplayObject):
    _mime = 'text/latex'


class Math(TextDisplayObject):
    _mime = 'text/latex'

    def _content(self):
        return '$\\displaystyle %s$' % self.data.strip('$')


class SVG(DisplayObject):
    _mime = 'image/svg+xml'


class Javascript(TextDisplayObject):
    _mime = 'application/javascript'


class JSON(DisplayObject):
    _mime = 'application/json'

    def _content(self):
        return json.loads(self.data) if isinstance(self.data, str) else self.data


class Code(TextDisplayObject):
    _mime = 'text/html'

    def _content(self):
        return '<pre>%s</pre>' % html.escape(self.data)

    def __repr__(self):
        return self.data
