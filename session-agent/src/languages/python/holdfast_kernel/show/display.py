"""Sends values as results of the running step: the value of the last expression, and what code displays."""

import sys

from ..agent import channel
from ..streams import late_output
from .bounded_bundle import bounded_bundle, bounded_text
from .bundle import bundle_of
from .describe_error import describe_error
from .figure_value import close_figure, is_figure
from .plain_text import plain_text

_step_id = None
_streams = None
_make_bundle = bundle_of
_asks_about_all = False


def use_step(step_id, streams):
    global _step_id, _streams
    _step_id = step_id
    _streams = streams


def use_bundles(make_bundle, asks_about_all):
    """Sets the function that makes the bundle of a value, and whether it is asked about plain values as well."""
    global _make_bundle, _asks_about_all
    _make_bundle, _asks_about_all = make_bundle, asks_about_all


def show_last(value, messages):
    """Adds the `result` message for the value of the last expression, then raises the error of its display methods, if any."""
    text = None if _asks_about_all else plain_text(value)
    if text is not None:
        messages.append(_text_result(text))
        return
    shown = _make_bundle(value)
    if shown.content:
        messages.append(result(*bounded_bundle(shown.content, shown.metadata), is_main=True))
    if shown.error is not None:
        raise shown.error
    if is_figure(value):
        close_figure(value)


def describe(value):
    """Returns the content and metadata of a value that its step does not show, then raises the error of its display methods, if any."""
    text = None if _asks_about_all else plain_text(value)
    if text is not None:
        return {'text/plain': bounded_text(text)}, {}
    shown = _make_bundle(value, is_result=False)
    if shown.error is not None:
        raise shown.error
    return bounded_bundle(shown.content, shown.metadata)


def display(*values, raw=False, metadata=None, **_options):
    """Shows the values at once, if IPython is missing. `raw` takes each value as a bundle, and `metadata` is added."""
    for value in values:
        if raw:
            publish(dict(value), metadata or {})
            continue
        shown = bundle_of(value)
        if shown.error is not None:
            # The value is shown as its other methods show it.
            report(shown.error)
        if shown.content:
            publish(shown.content, {**shown.metadata, **(metadata or {})})


def result(content, metadata, is_main):
    return {'type': 'result', 'stepId': _step_id, 'data': content, 'metadata': metadata, 'isMain': is_main}


def _text_result(text):
    """Returns the `result` message of a plain value as JSON: most steps end with one, and the encoder of any message takes much longer."""
    parts = channel.encode_text(_step_id), channel.encode_text(bounded_text(text))
    return ('{"type":"result","stepId":%s,"data":{"text/plain":%s},"metadata":{},"isMain":true}' % parts).encode('utf-8', 'replace')


def publish(content, metadata, is_main=False, display_id=None):
    """Sends a bundle as a result of the running step. A thread or task of an earlier step prints its text instead."""
    if _is_late():
        print(content.get('text/plain', ''))
        return
    message = result(*bounded_bundle(content, metadata), is_main)
    if display_id is not None:
        message['displayId'] = display_id
    send_in_order(message)


def update(content, metadata, display_id):
    """Gives the results with this display id another content. A thread or task of an earlier step prints its text instead."""
    if _is_late():
        print(content.get('text/plain', ''))
        return
    content, metadata = bounded_bundle(content, metadata)
    send_in_order({'type': 'result_update', 'stepId': _step_id, 'displayId': display_id, 'data': content, 'metadata': metadata})


def clear(wait):
    """Tells front ends to clear the output so far. A thread or task of an earlier step has none here."""
    if not _is_late():
        send_in_order({'type': 'output_cleared', 'stepId': _step_id, 'wait': bool(wait)})


def report(error):
    """Shows an error after which the running step goes on. A thread or task of an earlier step prints its text instead."""
    described = describe_error(error)
    if _is_late():
        print(*described['traceback'], sep='\n', file=sys.stderr)
    else:
        send_in_order({'type': 'error', 'stepId': _step_id, **described})


def _is_late():
    return _step_id is None or late_output.late_step() is not None


def send_in_order(message):
    """Sends a message of the running step behind all that was written before it."""
    _streams.send_in_order(message)
