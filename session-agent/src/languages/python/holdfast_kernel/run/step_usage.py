"""Measures the use of CPU and memory of each step."""

from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage


class StepUsage:
    """CPU time counts from the end of the step before, so that the work of threads between two steps belongs to the later one."""

    def __init__(self):
        self._seconds = 0.0
        self.take()

    def take(self):
        """Returns the milliseconds of CPU time since the last call, and the highest resident set so far in KiB."""
        own = getrusage(RUSAGE_SELF)
        children = getrusage(RUSAGE_CHILDREN)
        seconds = own[0] + own[1] + children[0] + children[1]
        milliseconds = (seconds - self._seconds) * 1000
        self._seconds = seconds
        return milliseconds, own[2]
