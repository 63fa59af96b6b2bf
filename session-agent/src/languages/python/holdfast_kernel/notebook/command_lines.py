"""Translates `!command`, `name = !command` and `%pip …`, the most used conveniences of IPython, to Python.

Used only on code that Python itself rejects, so that no valid program is ever changed.
"""

import io
import tokenize

_quiet = (tokenize.NL, tokenize.COMMENT, tokenize.INDENT, tokenize.DEDENT, tokenize.ENCODING)
_brackets = {'(': 1, '[': 1, '{': 1, ')': -1, ']': -1, '}': -1}


def has_command_lines(code):
    """Whether any line looks like a command line, at little cost."""
    return any(line.lstrip().startswith(('!', '%')) or '!' in line.partition('=')[2][:80] for line in code.splitlines())


def translate(code, filename):
    """Returns the code with its command lines replaced and as many lines as before. Raises SyntaxError on other syntax of IPython."""
    lines = _Lines(code, filename)
    try:
        for token in tokenize.generate_tokens(lines.next_line):
            lines.note(token)
    except (tokenize.TokenError, SyntaxError) as error:
        if isinstance(error, _NotUnderstood):
            raise SyntaxError(*error.args) from None
        # The compiler will report this error.
    return ''.join(lines.translated + lines.rest)


class _NotUnderstood(SyntaxError):
    pass


class _Lines:
    """Feeds a tokenizer line by line, and so knows the lines that begin a statement."""

    def __init__(self, code, filename):
        self.rest = io.StringIO(code).readlines()
        self.translated = []
        self._filename = filename
        self._depth = 0
        self._begins = True

    def note(self, token):
        if token.type == tokenize.OP:
            self._depth += _brackets.get(token.string, 0)
        if token.type == tokenize.NEWLINE:
            self._depth = 0
            self._begins = True
        elif token.type not in _quiet:
            self._begins = False

    def next_line(self):
        if not self.rest:
            return ''
        line = self.rest.pop(0)
        if self._begins and self._depth <= 0:
            line = self._translated(line)
            # The line may begin a string, which the tokenizer reports only at the string's end.
            self._begins = not line.strip() or line.lstrip().startswith('#')
        self.translated.append(line)
        return line

    def _translated(self, line):
        body = line.strip()
        indent = line[: len(line) - len(line.lstrip())]
        target, assigns, right = body.partition('=')
        if body.startswith(('!', '%')):
            return indent + self._call('', body, line)
        if assigns and right.lstrip().startswith('!') and not right.startswith('=') and _is_target(target.strip()):
            return indent + self._call(target.strip() + ' = ', right.strip(), line)
        return line

    def _call(self, before, body, line):
        body, more = self._continued(body, line)
        ending = '\n' * (more + line.endswith('\n'))
        if body.startswith('!') and not body.startswith('!!') and body[1:].strip():
            name = '__holdfast_lines__' if before else '__holdfast_command__'
            return '%s%s(%r)%s' % (before, name, body[1:].strip(), ending)
        if body.startswith('%pip') and body[4:5] in ('', ' ', '\t') and not before:
            return '__holdfast_pip__(%r)%s' % (body[4:].strip(), ending)
        word = body.split()[0]
        at = len(self.translated) + 1
        message = "%s is IPython's: of its syntax only !command and %%pip are understood here" % word
        raise _NotUnderstood(message, (self._filename, at, line.find(word) + 1, line))

    def _continued(self, body, line):
        """Returns the body with the lines that follow a backslash at its end, and the number of these lines."""
        more = 0
        while body.endswith('\\') and self.rest:
            body = body[:-1] + self.rest.pop(0).strip()
            more += 1
        return body, more


def _is_target(text):
    return all(part.strip().isidentifier() for part in text.split(','))
