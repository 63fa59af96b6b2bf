"""Makes JSON of the values that libraries put into comm messages, in the same way as Jupyter's client."""

import base64
import math
import numbers
from collections.abc import Iterable

from ..agent import channel


def json_value(value):
    """Returns the value itself if JSON can hold it, otherwise a copy in which other types are replaced. Raises TypeError if none fits."""
    try:
        channel.json_of(value)
        return value
    except (TypeError, ValueError):
        return _replaced(value)


def _replaced(value):
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, numbers.Integral):
        return int(value)
    if isinstance(value, numbers.Real):
        # JSON has neither infinities nor NaN.
        return float(value) if math.isfinite(value) else repr(float(value))
    if isinstance(value, (bytes, bytearray, memoryview)):
        return base64.b64encode(value).decode('ascii')
    if isinstance(value, dict):
        return {str(key): _replaced(entry) for key, entry in value.items()}
    if hasattr(value, 'isoformat'):
        return value.isoformat()
    if hasattr(value, '__fspath__'):
        return str(value)
    if isinstance(value, Iterable):
        return [_replaced(entry) for entry in value]
    raise TypeError('a comm message cannot hold a value of the type %s' % type(value).__name__)
