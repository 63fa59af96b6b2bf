"""Completes the folders from which modules are imported, after the interpreter and its site have set them up."""

import os
import site
import sys


def complete_search_path(extras):
    """Adds the user's own packages, even if there are none yet, and at the end the folder `extras` if there is one."""
    _add_user_packages()
    sys.path += filter(None, [extras])


def _add_user_packages():
    # The interpreter leaves out a missing folder, and then would not find the first package that a step installs there.
    if not site.ENABLE_USER_SITE:
        return
    folder = site.getusersitepackages()
    if folder in sys.path or os.path.isdir(folder):
        return
    from importlib import machinery

    loaders = [
        (machinery.ExtensionFileLoader, machinery.EXTENSION_SUFFIXES),
        (machinery.SourceFileLoader, machinery.SOURCE_SUFFIXES),
        (machinery.SourcelessFileLoader, machinery.BYTECODE_SUFFIXES),
    ]
    # For a missing folder Python would remember that it has no finder. This one looks again whenever the folder's time changes.
    sys.path_importer_cache[folder] = machinery.FileFinder(folder, *loaders)
    system = (at for at, path in enumerate(sys.path) if path.endswith('-packages'))
    sys.path.insert(next(system, len(sys.path)), folder)
