"""Completes import statements from the loaded modules and from the files on the search path. Imports nothing."""

import importlib.machinery
import os
import re
import sys

from .describe_value import kind_of
from .static_lookup import attribute_names, static_attribute

_import = re.compile(r'import\s+(?:.*,\s*)?([\w.]*)$')
_from = re.compile(r'from\s+([\w.]*)$')
_from_import = re.compile(r'from\s+([\w.]+)\s+import\s+\(?(?:.*,\s*)?(\w*)$')
_suffixes = sorted(importlib.machinery.all_suffixes(), key=len, reverse=True)


def import_matches(line):
    """Returns (beginning of a name, [(name, kind)]) if the line is an import statement, else None."""
    found = _from_import.match(line)
    if found:
        return found.group(2), _members(found.group(1))
    found = _import.match(line) or _from.match(line)
    if not found:
        return None
    package, _, prefix = found.group(1).rpartition('.')
    return prefix, [(name, 'module') for name in _modules(package)]


def _members(name):
    module = sys.modules.get(name)
    names = {found: 'module' for found in _modules(name)}
    if module is not None:
        for found in attribute_names(module):
            try:
                names[found] = kind_of(static_attribute(module, found))
            except LookupError:
                pass
    return list(names.items())


def _modules(package):
    """Returns the modules in a package, or all top-level modules if the package is ''."""
    if package:
        loaded = {name[len(package) + 1 :] for name in list(sys.modules) if name.startswith(package + '.')}
        return _listed(_package_folders(package)) | {name for name in loaded if '.' not in name}
    found = set(sys.builtin_module_names) | set(getattr(sys, 'stdlib_module_names', ()))
    return found | _listed(entry or '.' for entry in sys.path if type(entry) is str)


def _package_folders(package):
    module = sys.modules.get(package)
    try:
        return [folder for folder in static_attribute(module, '__path__') if type(folder) is str]
    except (LookupError, TypeError):
        pass
    parent, _, name = package.rpartition('.')
    parents = _package_folders(parent) if parent else [entry or '.' for entry in sys.path if type(entry) is str]
    return [os.path.join(folder, name) for folder in parents]


def _listed(folders):
    names = set()
    for folder in folders:
        try:
            entries = list(os.scandir(folder))
        except OSError:
            continue
        for entry in entries:
            suffix = next((suffix for suffix in _suffixes if entry.name.endswith(suffix)), '')
            name = entry.name[: len(entry.name) - len(suffix)]
            if name.isidentifier() and name != '__init__' and name != '__pycache__' and (suffix or _is_folder(entry)):
                names.add(name)
    return names


def _is_folder(entry):
    try:
        return entry.is_dir()
    except OSError:
        return False
