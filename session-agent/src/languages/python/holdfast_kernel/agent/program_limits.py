"""Limits of a program with all processes that it starts: measures them below the process that adopts their orphans."""

import os
import resource

_page_bytes = resource.getpagesize()
_ticks_per_second = os.sysconf('SC_CLK_TCK')


class ProgramLimits:
    def __init__(self, text):
        """`text` has memory in MiB, CPU time in seconds, a number of processes and the size of a file in MiB, each empty if it has no limit."""
        self._memory_mb, self._cpu_seconds, self._processes, self._file_mb = (
            int(value) if value else None for value in text.split(',')
        )
        self.are_measured = any((self._memory_mb, self._cpu_seconds, self._processes))

    def begin(self):
        """Call in the child that becomes the program. One process more than allowed can start, so that the excess is seen and named."""
        if self._file_mb is not None:
            _lower(resource.RLIMIT_FSIZE, self._file_mb * 2**20)
        if self._processes is not None:
            _lower(resource.RLIMIT_NPROC, _count_own_tasks() + self._processes + 1)

    def excess(self):
        """Returns the name of a limit that is exceeded now, and the processes; the name is None if all are kept."""
        pids = _descendants(os.getpid())
        if self._processes is not None and len(pids) > self._processes:
            return 'processes', pids
        if self._memory_mb is not None and sum(map(_own_bytes, pids)) > self._memory_mb * 2**20:
            return 'memory', pids
        if self._cpu_seconds is not None and _ended_seconds() + sum(map(_seconds, pids)) > self._cpu_seconds:
            return 'cpu', pids
        return None, pids


def _lower(limit, most):
    hard = resource.getrlimit(limit)[1]
    if hard == resource.RLIM_INFINITY or most < hard:
        resource.setrlimit(limit, (most, most))


def _descendants(root):
    children = _children_of if os.path.exists('/proc/self/task/%d/children' % os.getpid()) else _children_by_parent()
    found = []
    waiting = [root]
    while waiting:
        for child in children(waiting.pop()):
            found.append(child)
            waiting.append(child)
    return found


def _children_of(pid):
    for thread in _listed('/proc/%d/task' % pid):
        yield from map(int, _read('/proc/%d/task/%s/children' % (pid, thread)).split())


def _children_by_parent():
    """For kernels without CONFIG_PROC_CHILDREN. Reads of every process which one is its parent."""
    by_parent = {}
    for pid in filter(str.isdigit, _listed('/proc')):
        fields = _read('/proc/%s/stat' % pid).rpartition(b')')[2].split()
        if fields:
            by_parent.setdefault(int(fields[1]), []).append(int(pid))
    return lambda pid: by_parent.get(pid, ())


def _own_bytes(pid):
    """Memory that is in use and not shared with files or other processes (proc(5), statm)."""
    fields = _read('/proc/%d/statm' % pid).split()
    return (int(fields[1]) - int(fields[2])) * _page_bytes if fields else 0


def _seconds(pid):
    """CPU time of a process and of its children that have ended."""
    fields = _read('/proc/%d/stat' % pid).rpartition(b')')[2].split()
    return sum(map(int, fields[11:15])) / _ticks_per_second


def _ended_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _count_own_tasks():
    """The threads of all processes of this user, which is what RLIMIT_NPROC counts."""
    own = os.getuid()
    return sum(len(_listed('/proc/%s/task' % pid)) for pid in _listed('/proc') if pid.isdigit() and _owner(pid) == own)


def _owner(pid):
    try:
        return os.stat('/proc/%s' % pid).st_uid
    except OSError:
        return None


def _listed(path):
    try:
        return os.listdir(path)
    except OSError:
        return []


def _read(path):
    try:
        with open(path, 'rb') as file:
            return file.read()
    except OSError:
        return b''
