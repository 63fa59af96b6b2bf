"""Reads from the text before a cursor which kind of name is wanted there."""

import re

_name_at_end = re.compile(r'[^\W\d]\w*$')
_dotted_at_end = re.compile(r'[^\W\d]\w*(?:\s*\.\s*[^\W\d]\w*)*$')
_closing = {')': '(', ']': '[', '}': '{'}


class CodeCursor:
    """`text` is the code before the cursor, and `prefix` the beginning of a name at its end."""

    def __init__(self, text):
        self.string_start, self.is_comment, self.open_brackets = _scan(text)
        found = _name_at_end.search(text)
        self.prefix = found.group() if found else ''
        self._before = text[: len(text) - len(self.prefix)].rstrip(' \t')
        self.line = text[text.rfind('\n') + 1 :].lstrip()
        self._text = text

    def owner(self):
        """Returns the dotted name whose attribute is wanted, '' if it is not a mere name, or None if no attribute is wanted."""
        if not self._before.endswith('.'):
            return None
        return dotted_at_end(self._before[:-1].rstrip())

    def called(self):
        """Returns the dotted name of the function that is called around the cursor, or ''."""
        if not self.open_brackets or self._text[self.open_brackets[-1]] != '(':
            return ''
        return dotted_at_end(self._text[: self.open_brackets[-1]].rstrip(' \t'))

    def key(self):
        """Returns (dotted name, beginning of a key) if the cursor is in a string that is a subscript, else None."""
        if self.string_start is None or not self.open_brackets or self._text[self.open_brackets[-1]] != '[':
            return None
        bracket = self.open_brackets[-1]
        if self._text[bracket + 1 : self.string_start].strip():
            return None
        return dotted_at_end(self._text[:bracket].rstrip(' \t')), self._text[self.string_start + 1 :]


def dotted_at_end(text):
    """Returns the dotted name at the end of a text, without blanks, or '' if it is an attribute of something else."""
    found = _dotted_at_end.search(text)
    if not found or text[: found.start()].rstrip(' \t').endswith('.'):
        return ''
    return ''.join(found.group().split())


def _scan(text):
    """Returns what is open at the end: (position of a string's quote or None, whether a comment is, positions of brackets)."""
    open_brackets = []
    at = 0
    for found in re.finditer(r'''#[^\n]*|[rRbBuUfFtT]{0,2}("""|\'\'\'|"|\')|[\[({})\]]''', text):
        if found.start() < at:
            continue
        token = found.group()
        if token[0] == '#':
            if found.end() == len(text):
                return None, True, open_brackets
        elif found.group(1):
            at = _string_end(text, found.end(), found.group(1))
            if at is None:
                return found.end() - 1, False, open_brackets
        elif token in _closing:
            if open_brackets and text[open_brackets[-1]] == _closing[token]:
                open_brackets.pop()
        else:
            open_brackets.append(found.start())
    return None, False, open_brackets


def _string_end(text, at, quote):
    """Returns the end of a string that begins at `at`, or None if it is open. Only triple quotes go on after the end of a line."""
    ends = re.compile(r'\\.|%s%s' % (quote, '' if len(quote) == 3 else r'|\n'), re.DOTALL)
    while True:
        found = ends.search(text, at)
        if not found:
            return None
        at = found.end()
        if found.group()[0] != '\\':
            return at
