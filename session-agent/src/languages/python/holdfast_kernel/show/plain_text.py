"""The text of small plain values, which most values are: the same as IPython's, without IPython being asked."""

_leaves = frozenset((int, float, str, bool, bytes, complex, type(None)))
_containers = frozenset((list, tuple, dict))
_line_characters_max = 79
_elements_max = 40


def plain_text(value):
    """Returns the text, or None if the value is not a plain one or needs more than a line."""
    kind = type(value)
    if kind in _leaves:
        return repr(value)
    if kind in _containers and len(value) <= _elements_max and _holds_leaves(value, kind):
        text = repr(value)
        if len(text) <= _line_characters_max:
            return text
    return None


def _holds_leaves(value, kind):
    if kind is dict and not all(type(key) in _leaves for key in value):
        return False
    return all(type(element) in _leaves for element in (value.values() if kind is dict else value))
