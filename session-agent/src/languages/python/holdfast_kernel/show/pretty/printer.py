"""Lays text out in lines. Groups that do not fit are broken from the outside in, as in Oppen's "Prettyprinting"."""

from collections import deque

from .group import Group, Within

width_max = 79
elements_max = 1000


class Full(BaseException):
    """Raised when more has been written than the printer may hold."""


class Printer:
    """The `p` of `_repr_pretty_(self, p, cycle)`. It has the names of IPython's printer, which such methods use."""

    max_width = width_max
    max_seq_length = elements_max
    verbose = False

    def __init__(self, print_value, characters_max):
        self._print_value = print_value
        self._left = characters_max
        self._written = []
        self._column = 0
        # Texts and possible breaks, from the first break on that has not yet become text or a new line.
        self._pending = deque()
        self._pending_width = 0
        self._breaks = 0
        self._groups = [Group(0)]
        self.indentation = 0
        self.stack = []

    def pretty(self, value):
        """Writes a value by the rules for its type."""
        self._print_value(value, self)

    def text(self, text):
        if self._pending:
            self._pending.append((text, None, 0))
            self._pending_width += len(text)
            self._break_until_it_fits()
        else:
            self._write(text)
            self._column += len(text)

    def breakable(self, sep=' '):
        """Writes a new line if the innermost open group is broken, else `sep`."""
        group = self._groups[-1]
        if group.is_broken:
            self._new_line(self.indentation)
            return
        group.breaks += 1
        self._breaks += not group.is_settled
        self._pending.append((sep, group, self.indentation))
        self._pending_width += len(sep)
        self._break_until_it_fits()

    def break_(self):
        """Writes a new line in any case."""
        group = self._take_outermost()
        if group is not None:
            self._break(group)
        self._new_line(self.indentation)

    def begin_group(self, indent=0, open=''):
        if open:
            self.text(open)
        self._groups.append(Group(len(self._groups)))
        self.indentation += indent

    def end_group(self, dedent=0, close=''):
        self.indentation -= dedent
        self._groups.pop()
        if close:
            self.text(close)

    def group(self, indent=0, open='', close=''):
        return Within(lambda: self.begin_group(indent, open), lambda: self.end_group(indent, close))

    def indent(self, indent):
        """Indents the new lines within, in a `with` statement."""
        return Within(lambda: self._indent(indent), lambda: self._indent(-indent))

    def flush(self):
        while self._pending:
            self._settle_first()

    def written(self):
        return ''.join(self._written)

    def _break_until_it_fits(self):
        while self._column + self._pending_width > self.max_width:
            group = self._take_outermost()
            if group is None:
                return
            self._break(group)

    def _take_outermost(self):
        """Returns the outermost group with a pending break, the last one of its depth. Groups around it break from now on."""
        outermost = None
        # Pending text without breaks may be long, so it is not searched each time that some is added.
        for _, group, _ in self._pending if self._breaks else ():
            if group is not None and not group.is_settled and (outermost is None or group.depth <= outermost.depth):
                outermost = group
        for group in self._groups:
            if not group.is_settled and (outermost is None or group.depth < outermost.depth):
                group.is_broken = True
        return outermost

    def _break(self, group):
        group.is_broken = True
        while group.breaks or (self._pending and self._pending[0][1] is None):
            self._settle_first()

    def _settle_first(self):
        text, group, indentation = self._pending.popleft()
        self._pending_width -= len(text)
        if group is not None:
            group.breaks -= 1
            self._breaks -= not group.is_settled
            if group.is_broken:
                self._write('\n' + ' ' * indentation)
                self._column = indentation
                return
            group.is_settled = group.breaks == 0
        self._write(text)
        self._column += len(text)

    def _new_line(self, indentation):
        self.flush()
        self._write('\n' + ' ' * indentation)
        self._column = indentation

    def _indent(self, columns):
        self.indentation += columns

    def _write(self, text):
        self._written.append(text[: self._left])
        self._left -= len(text)
        if self._left < 0:
            raise Full
