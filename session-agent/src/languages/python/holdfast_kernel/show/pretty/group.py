"""A printer's groups, each of which breaks as a whole, and their `with` statements."""


class Group:
    """`breaks` counts the pending breaks. A group is settled once one of its breaks was written as text: it is not broken any more."""

    def __init__(self, depth):
        self.depth = depth
        self.breaks = 0
        self.is_broken = False
        self.is_settled = False


class Within:
    def __init__(self, enter, leave):
        self._enter = enter
        self._leave = leave

    def __enter__(self):
        self._enter()

    def __exit__(self, *_):
        self._leave()
