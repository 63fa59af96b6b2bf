"""Sets of names that belong together."""


class Groups:
    """Joins names, and finds the names that are joined with one, directly or by way of others."""

    def __init__(self):
        # For each name all that are joined with it, in one list that they have in common.
        self._members = {}

    def add(self, name):
        return self._members.setdefault(name, [name])

    def join(self, first, second):
        into, moved = self.add(first), self.add(second)
        if into is moved:
            return
        # The shorter list moves, so a name moves only a few times.
        if len(into) < len(moved):
            into, moved = moved, into
        into += moved
        for name in moved:
            self._members[name] = into

    def of(self, name):
        """All names that are joined with this one, itself among them."""
        return list(self.add(name))

    def all(self):
        """A list of names for each group, in the order in which they were added."""
        found = {}
        for name, members in self._members.items():
            found.setdefault(id(members), []).append(name)
        return list(found.values())
