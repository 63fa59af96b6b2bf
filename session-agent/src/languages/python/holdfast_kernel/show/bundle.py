"""Makes the MIME bundle of a value, by the display methods that libraries have for Jupyter."""

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
_leaves = frozenset((int, float, str, bool, bytes, complex, type(None)))
_plain_containers = frozenset((list, tuple, dict))
_line_characters_max = 79
_elements_max = 40


class Bundle:
    """`content` and `metadata` by MIME type. `error` is the first error of a display method; the other methods still count."""

    def __init__(self):
        self.content = {}
        self.metadata = {}
        self.error = None


def bundle_of(value, characters_max, include=None, exclude=None):
    """Returns the bundle of a value, with a text of at most about `characters_max`. Raises if the value's repr raises."""
    bundle = Bundle()

    def is_wanted(mime):
        return mime not in bundle.content and (not include or mime in include) and (not exclude or mime not in exclude)

    if type(value) not in _leaves and type(value) not in _plain_containers:
        _add_own_bundle(value, bundle, is_wanted, include, exclude)
        for method_name, mime, types in _methods:
            if is_wanted(mime):
                content, about = _call(value, method_name, bundle)
                if content is not None and isinstance(content, types):
                    bundle.content[mime] = content
                    if isinstance(about, dict):
                        bundle.metadata[mime] = about
        if is_figure(value) and is_wanted('image/png'):
            _add_figure(value, bundle)
    if is_wanted('text/plain'):
        bundle.content['text/plain'] = text_of(value, characters_max)
    return bundle


def text_of(value, characters_max):
    """Returns the text of a value. Small plain values, which most are, do not need the printer to be loaded."""
    kind = type(value)
    if kind in _leaves:
        return repr(value)
    if kind in _plain_containers and len(value) <= _elements_max and _holds_leaves(value, kind):
        text = repr(value)
        if len(text) <= _line_characters_max:
            return text
    from .pretty.pretty_text import pretty_text

    return pretty_text(value, characters_max)


def own_display(value):
    """Returns the method by which a value displays itself, or None."""
    return _method(value, '_ipython_display_')


def _add_own_bundle(value, bundle, is_wanted, include, exclude):
    own, about = _call(value, '_repr_mimebundle_', bundle, include=include, exclude=exclude)
    if isinstance(own, dict):
        bundle.content.update({mime: own[mime] for mime in own if isinstance(mime, str) and is_wanted(mime)})
        if isinstance(about, dict):
            bundle.metadata.update({str(key): entry for key, entry in about.items()})


def _add_figure(figure, bundle):
    try:
        bundle.content['image/png'] = figure_png(figure)
    except Exception as error:
        bundle.error = bundle.error or error


def _call(value, method_name, bundle, **options):
    """Calls a display method and returns (content, metadata)."""
    try:
        method = _method(value, method_name)
        if method is None:
            return None, None
        shown = method(**options) if _takes(method, options) else method()
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


def _takes(method, options):
    """Whether a method takes the options. Many methods leave them out of their signature, although the protocol has them."""
    code = getattr(method, '__code__', None)
    takes_any = code is None or code.co_flags & 0x08
    return takes_any or set(options) <= set(code.co_varnames[: code.co_argcount + code.co_kwonlyargcount])


def _holds_leaves(value, kind):
    if kind is dict and not all(type(key) in _leaves for key in value):
        return False
    return all(type(element) in _leaves for element in (value.values() if kind is dict else value))
