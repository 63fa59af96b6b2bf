"""Where `%pip install` puts packages: with the interpreter's own, or below the home folder where those cannot be written to."""

import os
import sys

_own_targets = ('--user', '--target', '-t', '--prefix', '--root')


def pip_target(words):
    """What to do for `pip <words>`: `env` for pip's process, and `use()` for afterwards."""
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
            # pip finds by PYTHONPATH what it has put there before.
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
