"""Holds the sources of steps in `linecache`, for tracebacks and `inspect`, as long as code that came from them exists."""

import linecache
from _weakref import ref
from collections import deque
from itertools import repeat
from sys import getrefcount

unwatched_max = 1000

_code_type = type(compile('', '', 'exec'))
# The count of code that nothing but one list refers to.
_unshared = max(map(getrefcount, [compile('', '', 'exec')]))


class Sources:
    def __init__(self):
        self._references = {}
        self._unwatched = deque()

    def add(self, filename, code, lines):
        """Holds a source until `ran` ties it to code, or else until `unwatched_max` other such sources have come after it."""
        linecache.cache[filename] = (len(code), None, lines, filename)
        self._unwatched.append(filename)
        if len(self._unwatched) > unwatched_max:
            linecache.cache.pop(self._unwatched.popleft(), None)

    def replace(self, filename, code, lines):
        """Puts another source in the place of the one that was added last."""
        linecache.cache[filename] = (len(code), None, lines, filename)

    def ran(self, filename, codes):
        """Drops the source that was added last once none of these code objects exists any more, nor one nested in them.

        Call when they have run, and only the list `codes` holds them for the kernel.
        """
        self._unwatched.pop()
        # In most steps nothing keeps the code.
        if max(map(getrefcount, codes), default=0) <= _unshared and not any(map(_has_nested, codes)):
            linecache.cache.pop(filename, None)
        else:
            self._watch(filename, codes)

    def _watch(self, filename, codes):
        count = 0

        def drop(_reference):
            nonlocal count
            count -= 1
            if count == 0:
                linecache.cache.pop(filename, None)
                self._references.pop(filename, None)

        references = list(map(ref, _nested(codes), repeat(drop)))
        count = len(references)
        self._references[filename] = references


def _has_nested(code):
    return _code_type in map(type, code.co_consts)


def _nested(codes):
    """Returns these code objects and all those that are constants of one another."""
    found = list(codes)
    for code in found:
        # The loop goes on with what it finds.
        for constant in code.co_consts:
            if type(constant) is _code_type:
                found.append(constant)
    return found
