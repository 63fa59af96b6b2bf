"""Makes the MIME bundle of a value without IPython, by the display methods that libraries have for Jupyter."""

from .figure_value import figure_png, is_figure

_text, _image, _any = (str,), (bytes, bytearray, str), (object,)
_methods = (
    ('_repr_html_', 'text/html', _text),
    ('_repr_markdown_', 'text/markdown', _text),
    ('_repr_svg_', 'image/svg+xml', _text),
    ('_repr_png_', 'image/png', _image),
    ('_repr_pdf_', 'application/pdf', _image),
    ('_repr_jpeg_', 'image/jpeg', _image),
    ('_repr_latex_', 'text/latex', _text),
    ('_repr_json_', 'application/json', _any),
    ('_repr_javascript_', 'application/javascript', _text),
)


class Bundle:
    """`content` and `metadata` by MIME type. `error` is the first error of a display method; the other methods still count.

    A value that displays itself has no content.
    """

    def __init__(self, content=None, metadata=None, error=None):
        self.content = content or {}
        self.metadata = metadata or {}
        self.error = error


def bundle_of(value):
    """Raises if the value's repr raises."""
    bundle = Bundle()
    own = _method(value, '_ipython_display_')
    if own is not None:
        own()
        return bundle
    _add_own_bundle(value, bundle)
    for method_name, mime, types in _methods:
        if mime not in bundle.content:
            content, about = _call(value, method_name, bundle)
            if content is not None and isinstance(content, types):
                bundle.content[mime] = content
                if isinstance(about, dict):
                    bundle.metadata[mime] = about
    if is_figure(value):
        _add_figure(value, bundle)
    if 'text/plain' not in bundle.content:
        bundle.content['text/plain'] = repr(value)
    return bundle


def _add_own_bundle(value, bundle):
    own, about = _call(value, '_repr_mimebundle_', bundle)
    if isinstance(own, dict):
        bundle.content.update({mime: own[mime] for mime in own if isinstance(mime, str)})
        if isinstance(about, dict):
            bundle.metadata.update({str(key): entry for key, entry in about.items()})


def _add_figure(figure, bundle):
    try:
        bundle.content['image/png'] = figure_png(figure)
    except Exception as error:
        bundle.error = bundle.error or error


def _call(value, method_name, bundle):
    """Calls a display method and returns (content, metadata)."""
    try:
        method = _method(value, method_name)
        shown = None if method is None else method()
    except NotImplementedError:
        return None, None
    except Exception as error:
        bundle.error = bundle.error or error
        return None, None
    return shown if isinstance(shown, tuple) and len(shown) == 2 else (shown, None)


def _method(value, name):
    # The display methods of a class are those of its instances, and do not apply to the class itself.
    if isinstance(value, type):
        return None
    method = getattr(value, name, None)
    # Objects that have an attribute of any name (mocks, proxies) have this one too, and do not display themselves.
    if not callable(method) or getattr(value, '_holdfast_answers_to_any_name_', None) is not None:
        return None
    return method
