"""The sources of steps, where tracebacks and inspect look for them, for as long as something is left that has them as its source."""

import linecache
from _weakref import ref
from collections import deque

kept_max = 1000

_code_type = type(compile('', '', 'exec'))


class Sources:
    def __init__(self):
        self._references = {}
        self._kept = deque()

    def add(self, filename, code, lines):
        """Keeps a source until `watch` says for how long, or else until as many others of the kind have come after it."""
        linecache.cache[filename] = (len(code), None, lines, filename)
        self._kept.append(filename)
        if len(self._kept) > kept_max:
            linecache.cache.pop(self._kept.popleft(), None)

    def watch(self, filename, codes):
        """Forgets the source that was added last once none of the code objects is left, nor one within them."""
        self._kept.pop()
        count = 0

        def forget(_reference):
            nonlocal count
            count -= 1
            if count == 0:
                linecache.cache.pop(filename, None)
                self._references.pop(filename, None)

        references = [ref(code, forget) for code in _nested(codes)]
        count = len(references)
        self._references[filename] = references


def _nested(codes):
    for code in codes:
        yield code
        yield from _nested([constant for constant in code.co_consts if type(constant) is _code_type])
