import _signal
import os
import select

from holdfast_processes.messages import send

_round_seconds = 0.004
_rounds_max = 500


class Children:
    """The processes that were started, and the orphans among their descendants."""

    def __init__(self):
        self._running = set()
        self.ended, writer = os.pipe()
        """Readable whenever a child has ended."""
        for fd in (self.ended, writer):
            os.set_blocking(fd, False)
        _signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
        _signal.signal(_signal.SIGCHLD, lambda *_: None)

    def add(self, pid):
        self._running.add(pid)
        return pid

    def signal(self, pid, number):
        """Sends a signal to a group. One whose leader was reaped gets none, as the number may be another one's by now."""
        if pid not in self._running:
            return
        try:
            os.killpg(pid, number)
        except OSError:
            pass

    def reap(self):
        """Reports the ends. Returns whether children are left."""
        try:
            os.read(self.ended, 4096)
        except BlockingIOError:
            pass
        while True:
            try:
                pid, status, usage = os.wait4(-1, os.WNOHANG)
            except ChildProcessError:
                return False
            if pid == 0:
                return True
            if pid in self._running:
                self._running.discard(pid)
                cpu = round(usage.ru_utime + usage.ru_stime, 6)
                send({'type': 'ended', 'pid': pid, 'status': status, 'cpuSeconds': cpu, 'memoryKb': usage.ru_maxrss})

    def end_all(self):
        """Kills all descendants: the children of one that dies become children of this process, for two seconds at most."""
        for _ in range(_rounds_max):
            if not self.reap():
                return
            for pid in _children_of(os.getpid()):
                try:
                    os.kill(pid, _signal.SIGKILL)
                except OSError:
                    pass
            select.select([self.ended], [], [], _round_seconds)


def _children_of(parent):
    found = []
    for name in os.listdir('/proc'):
        if not name.isdigit():
            continue
        try:
            with open(f'/proc/{name}/stat', 'rb') as stat:
                fields = stat.read().rpartition(b')')[2].split()
        except OSError:
            continue
        if int(fields[1]) == parent:
            found.append(int(name))
    return found
