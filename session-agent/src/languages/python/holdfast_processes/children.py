import _signal
import os
import select

from holdfast_processes.messages import send
from holdfast_processes.start import wake_ms

_round_seconds = 0.004
_rounds_max = 500


class Children:
    """The processes that were started, the watchers of some of them, and the orphans among their descendants."""

    def __init__(self, poll):
        self._running = set()
        self._watched = {}
        """The pid of each watched program, what its watcher has said, the pid of the watcher and the marker, by the descriptor of its reports."""
        self._poll = poll
        self.ended, writer = os.pipe()
        """Readable whenever a child has ended."""
        for fd in (self.ended, writer):
            os.set_blocking(fd, False)
        _signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
        _signal.signal(_signal.SIGCHLD, lambda *_: None)
        poll.register(self.ended, select.POLLIN)

    def add(self, pid):
        self._running.add(pid)
        return pid

    def add_watched(self, pid, reports, watcher, marker):
        """`reports` is read by `read_report`. The program and all that it starts have the marker."""
        self._watched[reports] = [pid, None, watcher, marker]
        self._poll.register(reports, select.POLLIN)
        return self.add(pid)

    def signal(self, pid, number):
        """Sends a signal to a group. One whose leader was reaped gets none, as the number may be another one's by now."""
        if pid not in self._running:
            return
        try:
            os.killpg(pid, number)
        except OSError:
            pass

    @property
    def wake_ms(self):
        """When to call `wake_watchers` next; None without watchers."""
        return wake_ms if self._watched else None

    def wake_watchers(self):
        """A program whose watcher is stopped would run without limits, and nothing would tell of its end."""
        for _, _, watcher, _ in self._watched.values():
            try:
                os.kill(watcher, _signal.SIGCONT)
            except OSError:
                pass

    def read_report(self, descriptor):
        """Reads a watcher's report, if the descriptor is that of one. Its lines come whole, as they are short."""
        if descriptor not in self._watched:
            return
        watched = self._watched[descriptor]
        lines = os.read(descriptor, 4096).splitlines()
        for line in lines:
            word, *values = line.decode().split()
            if word == 'exceeded':
                watched[1] = values[0]
            elif word == 'done':
                self._forget(descriptor)
            elif watched[0] in self._running:
                self._report(watched[0], int(values[0]), float(values[1]), int(values[2]), watched[1])
        if not lines:
            self._forget(descriptor)
            self._unwatch(watched[0], watched[3])

    def _forget(self, descriptor):
        del self._watched[descriptor]
        self._poll.unregister(descriptor)
        os.close(descriptor)

    def _unwatch(self, pid, marker):
        """Kills a program whose watcher was killed: it would run without limits. The agent kills what has left its group."""
        send({'type': 'unwatched', 'marker': marker})
        if pid not in self._running:
            return
        try:
            os.killpg(pid, _signal.SIGKILL)
        except ProcessLookupError:
            # Its watcher reaped it, and was killed before it could say so.
            self._report(pid, _signal.SIGKILL, 0, 0)

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
                self._report(pid, status, usage.ru_utime + usage.ru_stime, usage.ru_maxrss)

    def _report(self, pid, status, cpu, memory_kb, exceeded=None):
        self._running.discard(pid)
        end = {'type': 'ended', 'pid': pid, 'status': status, 'cpuSeconds': round(cpu, 6), 'memoryKb': memory_kb}
        send({**end, 'exceeded': exceeded} if exceeded else end)

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
