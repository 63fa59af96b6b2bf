"""Makes views again that show another object, and go on showing it."""

import collections
import gc
import types
import weakref

from .looking import has_kind

_methods = {type(getattr(kind(), name)()): getattr(kind, name) for kind in (dict, collections.OrderedDict) for name in ('keys', 'values', 'items')}
_proxies = (weakref.ProxyType, weakref.CallableProxyType)
_views = (types.MappingProxyType, *_methods)


def reduction_of_view(value):
    """None if the value is no view. cloudpickle would save a copy of what a view shows."""
    if has_kind(value, _proxies):
        raise TypeError("cannot pickle '%s' object" % type(value).__name__)
    if not has_kind(value, _views):
        return None
    (shown,) = gc.get_referents(value)
    return _methods.get(type(value), type(value)), (shown,)
