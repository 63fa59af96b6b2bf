"""The sources of steps that another kernel ran. Their numbers would be those of this kernel's steps, so they have other names."""

import itertools
import linecache
import re

_of_step = re.compile(r'<step (\d+)>$')
_of_earlier_kernel = re.compile(r'<(?:replayed )?step \d+, kernel \d+>$')


class StepSources:
    def __init__(self):
        self.generation = 1

    def renamed(self, filename):
        """The name under which the source of a step is known in later kernels. Any other name stays."""
        return _of_step.sub(r'<step \1, kernel %d>' % self.generation, filename)

    @staticmethod
    def is_of_earlier_kernel(filename):
        return _of_earlier_kernel.match(filename) is not None

    @staticmethod
    def text(filename):
        entry = linecache.cache.get(filename)
        return ''.join(entry[2]) if entry and len(entry) > 2 else None

    def restore(self, texts):
        generations = [self.generation]
        for filename, text in texts.items():
            lines = text.splitlines(keepends=True)
            linecache.cache[filename] = (len(text), None, lines, filename)
            generations += map(int, re.findall(r', kernel (\d+)>$', filename))
        self.generation = max(generations) + 1


_counted = itertools.count(1)


def replayed_filename(generation):
    """The name of the source of a step that runs again."""
    return '<replayed step %d, kernel %d>' % (next(_counted), generation)
