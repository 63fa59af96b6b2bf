"""Makes this process the parent of all its descendants whose own parents end, so that none leaves its tree (prctl(2)).

If a process has left the kernel's group and session and has cleared its environment, the agent can find it by its parents alone.
"""

_pr_set_child_subreaper = 36


def adopt_orphans():
    """Also holds for a program that this process executes. Does nothing if the system or the interpreter does not support it."""
    try:
        # Not `ctypes`, which costs twice as much to import.
        import _ctypes

        prctl = _ctypes.dlsym(_ctypes.dlopen(None, 0), 'prctl')
        _ctypes.call_function(prctl, (_pr_set_child_subreaper, 1, 0, 0, 0))
    except Exception:
        pass
