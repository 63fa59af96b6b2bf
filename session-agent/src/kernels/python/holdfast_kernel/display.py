"""MIME bundles: how a value shows itself, by the methods that Jupyter's libraries already have."""

import base64

from . import channel

text_characters_max = 1024 * 1024
# Below the 8 MiB that the agent takes of a whole result, so that what does not fit costs its entry alone.
bundle_bytes_max = 7 * 1024 * 1024
mime_characters_max = 256
metadata_bytes_max = 65536

_methods = (
    ('_repr_html_', 'text/html'),
    ('_repr_markdown_', 'text/markdown'),
    ('_repr_latex_', 'text/latex'),
    ('_repr_svg_', 'image/svg+xml'),
    ('_repr_png_', 'image/png'),
    ('_repr_jpeg_', 'image/jpeg'),
    ('_repr_json_', 'application/json'),
)
_plain_types = frozenset((int, float, str, bool, bytes, list, dict, tuple, set, complex, frozenset))

_step_id = None
_streams = None


def use_step(step_id, streams):
    global _step_id, _streams
    _step_id = step_id
    _streams = streams


def display(*values):
    """Shows the values at once, each as a result of the running step. Between steps nobody would receive it: printed instead."""
    for value in values:
        if _step_id is None:
            print(repr(value))
            continue
        _streams.flush()
        channel.send(bundle(value, is_main=False))


def bundle(value, is_main):
    """The `result` message for a value. Raises what the value's own repr raises."""
    if type(value) in _plain_types:
        return result({'text/plain': _text(repr(value))}, {}, is_main)
    bundled, metadata = {}, {}
    _add_own_bundle(value, bundled, metadata)
    for method_name, mime in _methods:
        if mime not in bundled:
            content, about = _call(value, method_name)
            if content is not None:
                bundled[mime] = content
                if isinstance(about, dict):
                    metadata[mime] = about
    if 'text/plain' not in bundled:
        bundled['text/plain'] = repr(value)
    return result(*_bounded(bundled, metadata), is_main)


def result(bundled, metadata, is_main):
    return {'type': 'result', 'stepId': _step_id, 'data': bundled, 'metadata': metadata, 'isMain': is_main}


def _add_own_bundle(value, bundled, metadata):
    own, about = _call(value, '_repr_mimebundle_')
    if isinstance(own, dict):
        bundled.update({mime: content for mime, content in own.items() if isinstance(mime, str)})
        if isinstance(about, dict):
            metadata.update({str(key): entry for key, entry in about.items()})


def _call(value, method_name):
    """What a display method gives, as (content, metadata). A class has the methods of its instances, which do not apply."""
    if isinstance(value, type):
        return None, None
    try:
        method = getattr(value, method_name, None)
        # Objects that answer to any name (mocks, proxies) answer to this one too.
        if method is None or getattr(value, '_holdfast_answers_to_any_name_', None) is not None:
            return None, None
        shown = method()
    except Exception:
        return None, None
    return shown if isinstance(shown, tuple) and len(shown) == 2 else (shown, None)


def _bounded(bundled, metadata):
    """What can be sent of a bundle: JSON of bounded size. The names of entries that were left out go into the metadata."""
    sent, omitted, left = {}, [], bundle_bytes_max
    # The text comes first: it is what is left to look at where the others do not fit.
    for mime, content in sorted(bundled.items(), key=lambda entry: entry[0] != 'text/plain'):
        if len(mime) > mime_characters_max:
            omitted.append(mime[:mime_characters_max])
            continue
        if isinstance(content, (bytes, bytearray)):
            content = base64.b64encode(content).decode('ascii')
        if mime == 'text/plain':
            content = _text(content if isinstance(content, str) else repr(content))
        if _fits(content, left):
            left -= _json_bytes(content)
            sent[mime] = content
        else:
            omitted.append(mime)
    metadata = {key: entry for key, entry in metadata.items() if _fits(entry, metadata_bytes_max)}
    if omitted:
        metadata['omitted'] = omitted
    return sent, metadata


def _fits(content, bytes_max):
    try:
        return _json_bytes(content) <= bytes_max
    except (TypeError, ValueError, RecursionError):
        return False


def _json_bytes(content):
    return len(channel.encoded(content))


def _text(text):
    if len(text) <= text_characters_max:
        return text
    return '%s… (%d more characters)' % (text[:text_characters_max], len(text) - text_characters_max)
