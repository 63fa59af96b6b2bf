"""Makes this process the parent of all its descendants whose own parents end, so that none leaves its tree (prctl(2)).

What has left the kernel's group and session and has an environment without its marks is found by its parents alone.
"""

_pr_set_child_subreaper = 36


def adopt_orphans():
    """Also holds for the program that is executed next. Where the system or the interpreter cannot do it, nothing happens."""
    try:
        # Not `ctypes`, which costs as much again.
        import _ctypes

        prctl = _ctypes.dlsym(_ctypes.dlopen(None, 0), 'prctl')
        _ctypes.call_function(prctl, (_pr_set_child_subreaper, 1, 0, 0, 0))
    except Exception:
        pass
