"""Saves the parts of errors that their own reduction leaves out: the errors that led to them, and the places where they were raised."""

import ast
import itertools
import types

_places_max = 1000


def with_causes(error, reduced, rename):
    """Completes the reduction of an error."""
    if reduced is NotImplemented:
        reduced = error.__reduce_ex__(5)
    causes = error.__cause__, error.__context__, error.__suppress_context__
    if type(reduced) is not tuple or not (causes[0] or causes[1] or error.__traceback__):
        return reduced
    make, arguments, *rest = reduced
    state = rest[0] if rest else None
    set_own = rest[3] if len(rest) > 3 else None
    places = [_place_of(entry, rename) for entry in itertools.islice(_entries(error.__traceback__), _places_max)]
    return make, arguments, (state, set_own, causes, places), None, None, set_error_state


def set_error_state(error, state):
    own, set_own, (cause, context, is_suppressed), places = state
    if set_own is not None:
        set_own(error, own)
    elif own is not None:
        error.__setstate__(own)
    error.__cause__, error.__context__, error.__suppress_context__ = cause, context, is_suppressed
    error.__traceback__ = _traceback_of(places)


def _entries(traceback):
    while traceback is not None:
        yield traceback
        traceback = traceback.tb_next


def _place_of(entry, rename):
    """The file, the name of the function, and the position in the file: first and last line, first and last column."""
    code, line = entry.tb_frame.f_code, entry.tb_lineno
    position = (line, line, 0, 0)
    # Python 3.11 knows columns.
    if hasattr(code, 'co_positions'):
        found = next(itertools.islice(code.co_positions(), entry.tb_lasti // 2, None), position)
        position = found if found[0] == line and None not in found else position
    return rename(code.co_filename), code.co_name, position


def _traceback_of(places):
    traceback = None
    for filename, name, position in reversed(places):
        frame, instruction = _frame_at(filename, name, position)
        traceback = types.TracebackType(traceback, frame, instruction, position[0])
    return traceback


def _frame_at(filename, name, position):
    """Frames come only from code that runs, so a call at that position fails. It has none of the variables of the first frame."""
    tree = ast.parse('fail()')
    for node in ast.walk(tree):
        if isinstance(node, (ast.stmt, ast.expr)):
            node.lineno, node.end_lineno, node.col_offset, node.end_col_offset = position
    code = compile(tree, filename, 'exec').replace(co_name=name)
    try:
        exec(code, {'fail': _fail})
    except _Failure as failure:
        entry = failure.__traceback__.tb_next
        return entry.tb_frame, entry.tb_lasti


class _Failure(Exception):
    pass


def _fail():
    raise _Failure
