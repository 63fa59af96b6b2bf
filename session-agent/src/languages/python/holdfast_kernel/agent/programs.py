"""Keeps the code of this kernel from starting programs, if the session's policy says so.

The filter of `confinement.py` is the boundary. The audit hook (PEP 578) comes before it with an error that names the policy, and also
forbids what the filter does not see. Code can get around the hook.
"""

import os
import sys
from _thread import get_ident

from holdfast import PolicyViolation

from ..state import forked

if os.environ.get('HOLDFAST_CONFINED'):
    # While the search path does not begin with the workspace yet, whose `ctypes` would come first.
    from . import confinement  # noqa: F401

_rule = 'execution.allowShellCommands'
_message = f"the session's policy forbids code to start programs by its rule {_rule}"
_starting = frozenset(
    ('os.exec', 'os.fork', 'os.forkpty', 'os.posix_spawn', 'os.spawn', 'os.system', 'pty.spawn', 'subprocess.Popen')
)


def confine_if_told():
    if os.environ.get('HOLDFAST_CONFINED'):
        from .confinement import forbid_programs

        forbid_programs()
        sys.addaudithook(_refuse)


def _refuse(event, _arguments):
    if event in _starting and forked.forking_thread() != get_ident():
        raise PolicyViolation(_message, _rule)
