"""A seccomp filter that tells another process of each call that may change a file, before it is made (seccomp_unotify(2))."""

import ctypes
import platform
import struct

_pr_set_no_new_privs = 38
_set_mode_filter = 1
_new_listener = 1 << 3
# Once it is told, a call is not interrupted by a signal that has a handler (Linux 5.19).
_wait_killable = 1 << 5

_x32 = 0x40000000
_load, _equal, _at_least, _any_bit, _answer = 0x20, 0x15, 0x35, 0x45, 0x06
_number_at, _architecture_at, _arguments_at = 0, 4, 16
_allow, _tell = 0x7FFF0000, 0x7FC00000

# O_WRONLY, O_RDWR, O_CREAT and O_TRUNC
_writing = 0x243

# The places of a path in the arguments: that of the directory, or None for the current one, and that of the path, or None for a descriptor alone.
_at_0, _first, _fd = ((0, 1),), ((None, 0),), ((0, None),)

# For each machine its architecture (linux/audit.h), the number of seccomp, and by the number of each call: the places of its paths, whether it follows a link
# at their end, and the place of its flags, if they say whether it writes.
_systems = {
    'x86_64': (
        0xC000003E,
        317,
        {
            2: (_first, True, 1),  # open
            257: (_at_0, True, 2),  # openat
            437: (_at_0, True, None),  # openat2
            85: (_first, True, None),  # creat
            76: (_first, True, None),  # truncate
            82: (((None, 0), (None, 1)), False, None),  # rename
            264: (((0, 1), (2, 3)), False, None),  # renameat
            316: (((0, 1), (2, 3)), False, None),  # renameat2
            83: (_first, False, None),  # mkdir
            258: (_at_0, False, None),  # mkdirat
            84: (_first, False, None),  # rmdir
            87: (_first, False, None),  # unlink
            263: (_at_0, False, None),  # unlinkat
            86: (((None, 0), (None, 1)), False, None),  # link
            265: (((0, 1), (2, 3)), False, None),  # linkat
            88: (((None, 1),), False, None),  # symlink
            266: (((1, 2),), False, None),  # symlinkat
            133: (_first, False, None),  # mknod
            259: (_at_0, False, None),  # mknodat
            90: (_first, True, None),  # chmod
            91: (_fd, True, None),  # fchmod
            268: (_at_0, True, None),  # fchmodat
            452: (_at_0, True, None),  # fchmodat2
            132: (_first, True, None),  # utime
            235: (_first, True, None),  # utimes
            261: (_at_0, True, None),  # futimesat
            280: (_at_0, True, None),  # utimensat
        },
    ),
    'aarch64': (
        0xC00000B7,
        277,
        {
            56: (_at_0, True, 2),
            437: (_at_0, True, None),
            45: (_first, True, None),
            38: (((0, 1), (2, 3)), False, None),
            276: (((0, 1), (2, 3)), False, None),
            34: (_at_0, False, None),
            35: (_at_0, False, None),
            37: (((0, 1), (2, 3)), False, None),
            36: (((1, 2),), False, None),
            33: (_at_0, False, None),
            52: (_fd, True, None),
            53: (_at_0, True, None),
            452: (_at_0, True, None),
            88: (_at_0, True, None),
        },
    ),
}


def told_calls():
    """By the number of each call that is told: the places of its paths, and whether it follows a link at their end."""
    return {number: call[:2] for number, call in _systems[platform.machine()][2].items()}


def tell_of_changes():
    """Returns the descriptor from which another process can read of calls that this one and its children make from now on.

    None if the system cannot do so. The process can then not gain privileges any more by executing a program.
    """
    system = _systems.get(platform.machine())
    if system is None or not _lets_calls_go_on(platform.release()):
        return None
    libc = ctypes.CDLL(None, use_errno=True)
    program = _filter(system)
    code = ctypes.create_string_buffer(program)
    # struct sock_fprog (linux/filter.h)
    described = ctypes.create_string_buffer(struct.pack('HxxxxxxP', len(program) // 8, ctypes.addressof(code)))
    long = ctypes.c_long
    if libc.prctl(_pr_set_no_new_privs, long(1), long(0), long(0), long(0)) != 0:
        return None
    libc.syscall.restype = long
    for flags in (_new_listener | _wait_killable, _new_listener):
        listener = libc.syscall(long(system[1]), long(_set_mode_filter), long(flags), described)
        if listener >= 0:
            return listener
    return None


def _lets_calls_go_on(release):
    """Whether a call that was told can go on (Linux 5.5). Before, it would wait forever."""
    numbers = release.split('-')[0].split('.')
    return [int(number) for number in numbers[:2] if number.isdecimal()] >= [5, 5]


def _filter(system):
    architecture, _, calls = system
    lines = [
        (_load, _architecture_at, None, None),
        (_equal, architecture, None, 'allow'),
        (_load, _number_at, None, None),
        (_at_least, _x32, 'allow', None),
    ]
    lines += [(_equal, number, 'tell', None) for number, (_, _, flags) in calls.items() if flags is None]
    for number, (_, _, flags) in calls.items():
        if flags is not None:
            # Any other call goes on after the two lines that look at the flags.
            lines += [
                (_equal, number, None, 2),
                (_load, _arguments_at + 8 * flags, None, None),
                (_any_bit, _writing, 'tell', 'allow'),
            ]
    places = {'allow': len(lines), 'tell': len(lines) + 1}
    lines += [(_answer, _allow, None, None), (_answer, _tell, None, None)]

    def distance(index, to):
        return places[to] - index - 1 if to in places else to or 0

    # struct sock_filter (linux/filter.h)
    return b''.join(
        struct.pack('HBBI', code, distance(index, yes), distance(index, no), value)
        for index, (code, value, yes, no) in enumerate(lines)
    )
