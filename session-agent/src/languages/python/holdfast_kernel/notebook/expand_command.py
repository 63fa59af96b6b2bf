"""Puts the values of `{expression}` and `$name` into a shell command, much by IPython's rules.

`{{` and `$$` stand for one such sign. `$name` between single quotes and `${name}` are left to the shell, and so is each expression or
name that cannot be evaluated (IPython would leave the whole command as it is).
"""

import re
from string import Formatter

_variable = re.compile(r'\$(\$?)([A-Za-z_][\w.]*)')


def expand_command(command, frame):
    """Evaluates the expressions with the names of `frame`, which is the caller's."""
    if '{' not in command and '$' not in command:
        return command
    try:
        return ''.join(_expanded(command, frame.f_globals, frame.f_locals))
    except Exception:
        return command


def _expanded(command, names, local_names):
    is_quoted = False
    for literal, expression, form, conversion in Formatter().parse(command):
        for index, part in enumerate(literal.split("'")):
            is_quoted ^= index > 0
            yield ("'" if index > 0 else '') + (part if is_quoted else _with_variables(part, names, local_names))
        if expression is not None:
            yield _value(expression, form, conversion, names, local_names, is_shells=literal.endswith('$'))


def _value(expression, form, conversion, names, local_names, is_shells):
    try:
        if not is_shells:
            return format(Formatter().convert_field(eval(expression, names, local_names), conversion), form)
    except Exception:
        pass
    return '{%s%s%s}' % (expression, '!' + conversion if conversion else '', ':' + form if form else '')


def _with_variables(text, names, local_names):
    def value_of(found):
        if found.group(1):
            return '$' + found.group(2)
        try:
            return str(eval(found.group(2), {**names, '__builtins__': {}}, local_names))
        except Exception:
            return found.group(0)

    return _variable.sub(value_of, text)
