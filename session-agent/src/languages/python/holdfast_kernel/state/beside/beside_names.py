"""Looks at what decides how code works beside the names of the context and cannot be saved: changes of modules, and code that goes on."""

from .patches import patches
from .running_code import listed_name


def beside_names(contents, set_in_modules):
    """`set_in_modules` are the attributes of modules that steps have set. Returns the reasons for what cannot be saved, by its names in a report, and the reasons for the names of the context that may change at any
    time.
    """
    changes = [*set_in_modules, *patches(contents.bindings)]
    reasons = dict.fromkeys(changes, 'a change of a module is not saved')
    running, changing = _changed_by_running(contents) if contents.running else ([], {})
    if running:
        reasons[listed_name] = '%s cannot be saved' % ', '.join(running)
    return reasons, changing


def _changed_by_running(contents):
    # It needs all that follows code of steps, which most snapshots do without.
    from .changed_by_running import changed_by_running

    return changed_by_running(contents.running, contents.main, contents.bindings)
