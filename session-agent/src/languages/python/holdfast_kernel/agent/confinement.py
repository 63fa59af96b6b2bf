"""Keeps this process and its children from executing other programs, by a seccomp filter (seccomp(2)).

The filter cannot be removed, not even by root. It also forbids to trace other processes, which may be without a filter.
"""

import ctypes
import os
import platform
import struct

_pr_set_no_new_privs = 38
_set_mode_filter = 1
# Also for the threads that there are.
_all_threads = 1

# For each machine its architecture (linux/audit.h), and the numbers of seccomp, of execve, and of the other calls that are forbidden:
# execveat, ptrace and process_vm_writev.
_systems = {
    'x86_64': (0xC000003E, 317, 59, (322, 101, 311)),
    'aarch64': (0xC00000B7, 277, 221, (281, 117, 271)),
}
_x32 = 0x40000000

_load, _equal, _at_least, _answer = 0x20, 0x15, 0x35, 0x06
_number_at, _architecture_at, _first_argument_at = 0, 4, 16
_allow, _not_permitted = 0x7FFF0000, 0x00050001

_map_private_anonymous_fixed = 0x100022
_page = 4096


def forbid_programs(but_at=None):
    """Returns whether the system does so. `but_at`: execve is allowed for a path at this address."""
    system = _systems.get(platform.machine())
    if system is None:
        return False
    libc = ctypes.CDLL(None, use_errno=True)
    program = _filter(system, but_at)
    code = ctypes.create_string_buffer(program)
    # struct sock_fprog (linux/filter.h)
    described = ctypes.create_string_buffer(struct.pack('HxxxxxxP', len(program) // 8, ctypes.addressof(code)))
    long = ctypes.c_long
    if libc.prctl(_pr_set_no_new_privs, long(1), long(0), long(0), long(0)) != 0:
        return False
    libc.syscall.restype = long
    return libc.syscall(long(system[1]), long(_set_mode_filter), long(_all_threads), described) == 0


def execute_confined(command):
    """Executes the program, which cannot execute any other one. Executes it without a filter if the system has none.

    A filter sees the address of a path and not the path, so this one allows one address: a random one, which the next program neither knows
    nor has mapped. To find it by trying would take weeks.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    path = os.fsencode(command[0]) + b'\0'
    address = _random_place(libc, path)
    if address is not None and forbid_programs(but_at=address):
        arguments = (ctypes.c_char_p * (len(command) + 1))(*map(os.fsencode, command), None)
        pairs = [os.fsencode(name) + b'=' + os.fsencode(value) for name, value in os.environ.items()]
        environment = (ctypes.c_char_p * (len(pairs) + 1))(*pairs, None)
        libc.execve(ctypes.c_void_p(address), arguments, environment)
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), command[0])
    os.execv(command[0], command)


def _random_place(libc, text):
    """Copies the text to a random address and returns that; None if there is no room for it."""
    libc.mmap.restype = ctypes.c_void_p
    room = -(-len(text) // _page) * _page + _page
    for _ in range(100):
        start = int.from_bytes(os.urandom(6), 'little') % (1 << 46) & -_page
        place = libc.mmap(
            ctypes.c_void_p(start), ctypes.c_size_t(room), 3, _map_private_anonymous_fixed, -1, ctypes.c_long(0)
        )
        if place != start or start < _page * 16:
            continue
        address = start + int.from_bytes(os.urandom(2), 'little') % _page
        ctypes.memmove(address, text, len(text))
        return address
    return None


def _filter(system, but_at):
    architecture, _, execve, others = system
    refuse = ('refuse',)
    lines = [
        (_load, _architecture_at),
        (_equal, architecture, None, refuse),
        (_load, _number_at),
        (_at_least, _x32, refuse, None),
        *[(_equal, number, refuse, None) for number in others],
    ]
    if but_at is None:
        lines += [(_equal, execve, refuse, ('allow',))]
    else:
        low, high = but_at & 0xFFFFFFFF, but_at >> 32
        lines += [
            (_equal, execve, None, ('allow',)),
            (_load, _first_argument_at),
            (_equal, low, None, refuse),
            (_load, _first_argument_at + 4),
            (_equal, high, ('allow',), refuse),
        ]
    places = {'refuse': len(lines), 'allow': len(lines) + 1}
    lines += [(_answer, _not_permitted), (_answer, _allow)]

    def distance(index, label):
        return places[label[0]] - index - 1 if label else 0

    # struct sock_filter (linux/filter.h)
    return b''.join(
        struct.pack('HBBI', line[0], *(distance(index, label) for label in (line[2:] or (None, None))), line[1])
        for index, line in enumerate(lines)
    )
