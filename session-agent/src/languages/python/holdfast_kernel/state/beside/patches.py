"""Finds functions and classes of steps that have come into modules in some way, and signal handlers of steps."""

import builtins
import signal
import sys
import types

from ..looking import is_a, is_code_of_step, is_of_step, vars_of

_listed_max = 50
# They are saved as settings, or have another name in a report.
_of_settings = frozenset(('logging._logRecordFactory', 'logging._loggerClass', 'threading._trace_hook', 'threading._profile_hook'))


def patches(bindings):
    """Names such as `json.dumps`. Looks into modules that have one of the names of the context."""
    modules = {id(value): value for _, value in bindings if _is_imported(value)}
    found = [path for module in modules.values() for path in _patched_in(module.__name__, vars(module))]
    if any(is_code_of_step(signal.getsignal(number)) for number in signal.valid_signals()):
        found.append('(signal handlers)')
    return found[:_listed_max]


def _is_imported(value):
    return type(value) is types.ModuleType and value is not builtins and sys.modules.get(vars(value).get('__name__')) is value


def _patched_in(path, parts, depth=1):
    for name, part in list(parts.items()):
        # The interpreter keeps the last error there.
        if (path == 'sys' and name.startswith('last_')) or '%s.%s' % (path, name) in _of_settings:
            continue
        if is_code_of_step(part) or is_of_step(part if is_a(part, type) else type(part)):
            yield '%s.%s' % (path, name)
        elif depth and is_a(part, type) and not is_of_step(part):
            yield from _patched_in('%s.%s' % (path, name), vars_of(part), depth - 1)
