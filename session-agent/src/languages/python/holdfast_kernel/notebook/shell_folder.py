"""The shell's folder in the folder for temporary files: IPython's own files (`%store`, bookmarks), and programs for shell commands."""

import functools
import os
import stat
import sys
import tempfile
import zlib

_own_python = 'exec \'%s\'%s "$@"'
# It writes to a pipe, as it would wait for keys otherwise.
_pager = 'PATH=${PATH#*:}; %s "$@" | cat'


def _programs():
    """Returns the programs by name, as lines of a shell."""
    python = sys.executable.replace("'", "'\\''")
    arguments = {'python': '', 'python3': '', 'pip': ' -m pip', 'pip3': ' -m pip'}
    return {
        **{name: _own_python % (python, rest) for name, rest in arguments.items()},
        **{name: _pager % name for name in ('less', 'more')},
    }


def shell_folder():
    """Returns IPython's folder, which it makes itself. It is the same for all contexts of a sandbox."""
    return os.environ.get('IPYTHONDIR') or os.path.join(_own_folder(), 'ipython')


def path_with_programs():
    """Returns a PATH on which `python` and `pip` are those of this interpreter, under whatever name it was started, and pagers do not wait."""
    programs = _programs()
    own = os.path.join(_own_folder(), 'bin-%x' % zlib.crc32(repr(programs).encode()))
    if not os.path.isdir(own):
        _write_programs(own, programs)
    return own + os.pathsep + os.environ.get('PATH', os.defpath)


def _own_folder():
    return _folder_below(tempfile.gettempdir())


@functools.lru_cache(maxsize=None)
def _folder_below(parent):
    folder = os.path.join(parent, 'holdfast-ipython-%d' % os.getuid())
    os.makedirs(folder, mode=0o700, exist_ok=True)
    status = os.lstat(folder)
    if status.st_uid == os.getuid() and stat.S_ISDIR(status.st_mode):
        return folder
    # Another user has taken the name.
    return tempfile.mkdtemp(prefix='holdfast-ipython-', dir=parent)


def _write_programs(folder, programs):
    fresh = tempfile.mkdtemp(dir=os.path.dirname(folder))
    for name, line in programs.items():
        path = os.path.join(fresh, name)
        with open(path, 'w', encoding='utf-8') as program:
            program.write('#!/bin/sh\n%s\n' % line)
        os.chmod(path, 0o755)
    try:
        os.rename(fresh, folder)
    except OSError:
        # Another context has made it meanwhile.
        pass
