"""Holds the values that steps have shown under the names that IPython gives them: `_`, `__`, `___`, `_1` and `Out[1]`."""

shown_max = 100
_last_names = ('_', '__', '___')
_none = object()


class History:
    """Holds the last values in the namespace of the steps. A step may bind these names itself, and its values stay."""

    def __init__(self, namespace):
        self._namespace = namespace
        self._last = ('', '', '')
        self._out = {}
        namespace.update(zip(_last_names, self._last), Out=self._out)

    def note(self, number, value):
        """Records the value that the step of this number shows."""
        if all(self._is_free(name) for name in _last_names):
            self._last = (value, *self._last[:2])
            self._namespace.update(zip(_last_names, self._last))
        # `Out` does not contain itself.
        if value is not self._out:
            name = '_%d' % number
            if self._is_free(name):
                self._namespace[name] = value
            self._out[number] = value
        while len(self._out) > shown_max:
            self._drop(next(iter(self._out)))

    def owns(self, name, value):
        """Whether a name holds this value because a step has shown it, and not because a step has bound it."""
        if name in _last_names:
            return self._last[len(name) - 1] is value
        if name == 'Out':
            return value is self._out
        number = name[1:] if name[:1] == '_' else ''
        return number.isdecimal() and self._out.get(int(number), _none) is value

    def _is_free(self, name):
        return name not in self._namespace or self.owns(name, self._namespace[name])

    def _drop(self, number):
        name = '_%s' % (number,)
        if name in self._namespace and self._is_free(name):
            del self._namespace[name]
        del self._out[number]
