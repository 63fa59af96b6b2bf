"""Sets of names that belong together."""


class Groups:
    """Joins names, and finds the names that are joined with one, directly or by way of others."""

    def __init__(self):
        self._parents = {}

    def add(self, name):
        self._parents.setdefault(name, name)

    def join(self, first, second):
        first, second = self._root(first), self._root(second)
        if first != second:
            self._parents[first] = second

    def of(self, name):
        """All names that are joined with this one, itself among them."""
        root = self._root(name)
        return [other for other in list(self._parents) if self._root(other) == root]

    def all(self):
        """A list of names for each group, in the order in which they were added."""
        found = {}
        for name in list(self._parents):
            found.setdefault(self._root(name), []).append(name)
        return list(found.values())

    def _root(self, name):
        parents = self._parents
        parents.setdefault(name, name)
        while parents[name] != name:
            parents[name] = parents[parents[name]]
            name = parents[name]
        return name
