import _socket
import struct

from holdfast_kernel.record.changed_paths import ChangedPaths
from holdfast_kernel.record.filter import tell_of_changes


class Recording:
    """Hands what `tell_of_changes` returns in a child over to its parent. Make it before the fork."""

    def __init__(self):
        self._parent, self._child = _socket.socketpair()

    def begin(self):
        """Call in the child that becomes the program."""
        listener = tell_of_changes()
        passed = [] if listener is None else [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, struct.pack('i', listener))]
        self._child.sendmsg([b'.'], passed)

    def follow(self, log):
        """Call in the parent. `log`: the descriptor of the file for the paths."""
        self._child.close()
        _, passed, _, _ = self._parent.recvmsg(1, _socket.CMSG_SPACE(4), _socket.MSG_CMSG_CLOEXEC)
        self._parent.close()
        return ChangedPaths(struct.unpack('i', passed[0][2])[0] if passed else None, log)
