"""Evaluates the expressions that a step's request names beside its code, as Jupyter does with `user_expressions`."""

from ..agent import interrupt
from ..show.describe_error import describe_error
from ..show.display import describe

interrupt.protect(__file__)


def evaluate(code, namespace):
    """Returns the value's bundle, or `{error}`. Only an interrupt raises."""
    try:
        value = eval(compile(code.strip(), '<string>', 'eval', dont_inherit=True), namespace)
        content, metadata = describe(value)
        return {'data': content, 'metadata': metadata}
    except KeyboardInterrupt:
        if interrupt.came():
            raise
        return {'error': {'name': 'KeyboardInterrupt', 'message': '', 'traceback': []}}
    except BaseException as error:
        return {'error': describe_error(error)}
