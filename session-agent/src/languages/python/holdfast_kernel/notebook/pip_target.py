"""Chooses the folder for `%pip install`: the interpreter's own, or one below the home folder if that cannot be written to."""

import os
import sys

_own_targets = ('--user', '--target', '-t', '--prefix', '--root')


def pip_target(words):
    """Returns the target for `pip <words>`. `env` is for pip's process, and `use()` makes its packages importable afterwards."""
    is_free = not any(word.partition('=')[0] in _own_targets for word in words.split())
    return _Target(home_folder() if is_free and not _is_writable() else None)


def home_folder():
    return os.path.join(os.path.expanduser('~'), '.local')


def packages_folder(prefix):
    return os.path.join(prefix, 'lib', 'python%d.%d' % sys.version_info[:2], 'site-packages')


class _Target:
    def __init__(self, prefix):
        self._prefix = prefix
        self.env = {}
        if prefix:
            path = [packages_folder(prefix), os.environ.get('PYTHONPATH')]
            # By PYTHONPATH pip finds the packages that it has installed there before.
            self.env = {'PIP_PREFIX': prefix, 'PYTHONPATH': os.pathsep.join(filter(None, path))}

    def use(self):
        import importlib
        import site

        folder = packages_folder(self._prefix or home_folder())
        if os.path.isdir(folder) and folder not in sys.path:
            site.addsitedir(folder)
        importlib.invalidate_caches()


def _is_writable():
    import sysconfig

    folder = sysconfig.get_path('purelib')
    return os.access(folder, os.W_OK)
