"""Compiles most steps without a syntax tree, whose objects take longer to make and to read than the compiler itself.

The step is cut before its last line, or the only line at its last semicolon. If the first part is a program by itself, the cut lies between
two statements; if the second is an expression by itself, it is the one to show. Anything else is left to the parser.
"""

import re

# Behind a colon a block may follow on the same line, behind a number sign a comment, and in a text the semicolon is none.
_keeps_line_together = re.compile('[:#\'"]')
# An equals sign that comes before any bracket, text and comment, and is part of no comparison.
_assigns = re.compile(r'[^(\'"=!<>#\n]*=(?!=)')
_statement = re.compile(r'\s*(?:assert|del|from|global|import|pass|raise)\b')


def compile_cut(code, compile_part):
    """Returns the code objects and whether the last one is an expression to show, or None if only the parser can tell.

    `compile_part(text, mode)` compiles a part.
    """
    parts = _cut(code)
    if parts is None:
        return None
    first, last = parts
    try:
        # The last part comes first, as it is the one that fails more often.
        codes = [] if last is None else [compile_part(last, 'eval')]
        if first:
            codes.insert(0, compile_part(first, 'exec'))
    except Exception:
        return None
    return codes, last is not None


def _cut(code):
    """Returns two parts with the positions that they have in the code. One of them may be None."""
    # Python warns of a wrong escape each time that it reads one, and takes a backslash at the end of a part for a mistake.
    if '\\' in code or '\r' in code or '\f' in code:
        return None
    text = code.rstrip('\n')
    first, newline, last = text.rpartition('\n')
    if ';' in last:
        return None if newline else _cut_line(text)
    if not last or last[0] in ' \t#)]}':
        return None
    if _assigns.match(last) or _statement.match(last):
        # One simple statement, unless a block or an annotation follows a colon.
        return None if newline or ':' in last else (text, None)
    return (first, '\n' * (first.count('\n') + 1) + last) if newline else (None, last)


def _cut_line(line):
    first, _, last = line.rpartition(';')
    expression = last.lstrip(' \t')
    if not expression or not first.strip(' \t') or first.rstrip(' \t')[-1] == ';' or not line.isascii():
        return None
    if ':' in first or '#' in first or _keeps_line_together.search(last):
        return None
    if _assigns.match(expression) or _statement.match(expression):
        return line, None
    # A form feed takes back the indentation, and the expression keeps its column.
    return first, ' ' * (len(line) - len(expression) - 1) + '\f' + expression
