"""Says whether code that is being typed can run. Runs none of it."""

import ast
import codeop
import warnings

_indent_characters_max = 1024


def completeness(code):
    """Returns `{status, indent}`. Never raises."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter('ignore')
            status, indent = _by_ipython(code)
    except Exception:
        # Also a RecursionError or a MemoryError of the compiler, if the code is nested too deeply for it.
        status, indent = 'unknown', None
    return {'status': status, 'indent': ' ' * min(indent or 0, _indent_characters_max)}


def _by_ipython(code):
    try:
        from IPython.core.inputtransformer2 import TransformerManager
    except ImportError:
        return _by_codeop(code)
    # One of its own: that of the shell may have transformers of the user's.
    return TransformerManager().check_complete(code)


def _by_codeop(code):
    compiler = codeop.Compile()
    compiler.flags |= ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    try:
        compiled = codeop._maybe_compile(compiler, code, '<parsed>', 'exec') if code.strip() else True
    except (SyntaxError, OverflowError, ValueError):
        return 'invalid', None
    lines = code.split('\n')
    is_complete = compiled and not (lines[-1].strip() and _ends_in_block(code, lines, compiler.flags))
    if is_complete:
        return 'complete', None
    last = code.rstrip().rpartition('\n')[2]
    return 'incomplete', len(last) - len(last.lstrip()) + (4 if last.endswith(':') else 0)


def _ends_in_block(code, lines, flags):
    """A block that is typed ends with an empty line, because another line of it may follow any other."""
    tree = compile(code, '<parsed>', 'exec', flags | ast.PyCF_ONLY_AST)
    statements = (node for node in ast.walk(tree) if isinstance(node, ast.stmt))
    # Statements begin in the order in which they are nested, so this one is the innermost.
    last = max((node.lineno for node in statements), default=1)
    return lines[last - 1][:1].isspace()
