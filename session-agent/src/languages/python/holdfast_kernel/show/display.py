"""`display()` and the value of the last expression: sends values as results of the running step."""

import sys

from ..agent import channel
from ..streams import late_output
from .bounded_bundle import bounded_bundle, text_characters_max
from .bundle import bundle_of, own_display
from .describe_error import describe_error
from .figure_value import close_figure, is_figure

_step_id = None
_streams = None


def use_step(step_id, streams):
    global _step_id, _streams
    _step_id = step_id
    _streams = streams


def display(*values, include=None, exclude=None, metadata=None, transient=None, display_id=None, raw=False, **_):
    """Shows the values at once, each as a result of the running step. A thread or task of an earlier step prints their text instead.

    The options are IPython's: `include` and `exclude` name MIME types, `raw` takes each value as a bundle, and `metadata`
    is added. With `display_id` (a name, or True for a new one) it returns a handle that shows further values under the same name.
    """
    handle, metadata = None, metadata or {}
    if display_id is not None:
        from .display_handle import DisplayHandle

        handle = DisplayHandle(None if display_id is True else display_id)
        metadata = {**metadata, 'displayId': handle.display_id}
    for value in values:
        if raw:
            _send(dict(value), metadata)
        else:
            _display(value, include, exclude, metadata)
    return handle


def show_last(value, messages):
    """Adds the `result` message for the value of the last expression, then raises the error of its display methods, if any."""
    own = own_display(value)
    if own is not None:
        own()
        return
    shown = bundle_of(value, text_characters_max)
    messages.append(result(*bounded_bundle(shown.content, shown.metadata), is_main=True))
    if shown.error is not None:
        raise shown.error
    if is_figure(value):
        close_figure(value)


def bundle(value, is_main):
    """Returns the `result` message for a value. Raises if the value's own repr raises."""
    shown = bundle_of(value, text_characters_max)
    return result(*bounded_bundle(shown.content, shown.metadata), is_main)


def result(content, metadata, is_main):
    return {'type': 'result', 'stepId': _step_id, 'data': content, 'metadata': metadata, 'isMain': is_main}


def _display(value, include, exclude, metadata):
    own = own_display(value)
    if own is not None:
        own()
        return
    shown = bundle_of(value, text_characters_max, include, exclude)
    if shown.error is not None:
        # The code goes on, and the value is shown as its other methods show it.
        print(*describe_error(shown.error)['traceback'], sep='\n', file=sys.stderr)
    _send(shown.content, {**shown.metadata, **metadata})


def _send(content, metadata):
    if _step_id is None or late_output.late_step() is not None:
        print(content.get('text/plain', ''))
        return
    _streams.flush()
    channel.send(result(*bounded_bundle(content, metadata), is_main=False))
