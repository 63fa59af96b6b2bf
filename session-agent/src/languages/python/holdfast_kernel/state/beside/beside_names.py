"""Looks at what decides how code works beside the names of the context and cannot be saved: changes of modules, and code that goes on."""

from ...notebook import open_shell
from .patches import patches
from .running_code import listed_name


def beside_names(contents, changes):
    """Returns the reasons for what cannot be saved, by its names in a report, and the reasons for the names of the context that may change at any
    time.
    """
    saved = {one.path for one in changes.own}
    paths = [*changes.unsaved, *(path for path in patches(contents.bindings) if path not in saved)]
    reasons = dict.fromkeys(paths, 'a change of a module is not saved')
    if open_shell.shell is not None and _has_changed_shell(open_shell.shell):
        reasons['(IPython settings)'] = 'settings of IPython are not saved'
    running, changing = _changed_by_running(contents, changes.own) if contents.running else ([], {})
    if running:
        reasons[listed_name] = '%s cannot be saved' % ', '.join(running)
    return reasons, changing


def _has_changed_shell(shell):
    from ...notebook.shell_settings import has_changed

    try:
        return has_changed(shell, shell.own_first_settings)
    except Exception:
        # Code has given the shell values that cannot be compared.
        return True


def _changed_by_running(contents, own):
    # It needs all that follows code of steps, which most snapshots do without.
    from .changed_by_running import changed_by_running

    return changed_by_running(contents.running, contents.main, contents.bindings, [(one.path, one.value) for one in own])
