"""Says which names the code that goes on while the context is idle can change at any time."""

import types

from ..later.effects import Effects
from ..later.reach import reach_of
from ..load_names import Loaded
from ..looking import is_a
from .running_code import listed_name
from ..sharing import Sharing


def changed_by_running(running, main, bindings, own):
    """The descriptions of what runs code of steps or of the user's own modules, and the reasons by the names that this may change. `own` are the
    paths and the values of these modules. Runs no code of steps.
    """
    found, reasons = [], {}
    for description, values in running:
        reach = reach_of(values, main)
        if not reach.has_own_code and not reach.has_code_of_modules:
            continue
        found.append(description)
        reason = '%s may change it at any time' % description
        for name in _names(values, main, bindings) if reach.has_own_code else _names_of_modules(bindings, own, main):
            reasons.setdefault(name, reason)
    return found, reasons


def _names_of_modules(bindings, own, main):
    """Those whose values the user's own modules have, too."""
    sharing = Sharing(main)
    for name, value in [*bindings, *own]:
        sharing.add(name, value)
    return set().union(*(sharing.together.of(path) for path, _ in own))


def _names(values, main, bindings):
    # This process is a child that ends with its snapshot, so the entry is not seen.
    main[listed_name] = values
    try:
        effects = Effects(main, _known_of(bindings, values, main))
        changed = effects.of_name(listed_name)
        if not effects.is_everything:
            return changed
    except ValueError:
        pass
    finally:
        del main[listed_name]
    return [name for name, value in bindings if not _stays(value)]


def _known_of(bindings, values, main):
    known, sharing = Loaded(), Sharing(main)
    for name, value in [*bindings, (listed_name, values)]:
        sharing.add(name, value)
    known.restored = [name for name, _ in bindings]
    known.sharing, known.users = sharing.together, sharing.users
    return known


def _stays(value):
    return is_a(value, (types.ModuleType, types.FunctionType, type))
