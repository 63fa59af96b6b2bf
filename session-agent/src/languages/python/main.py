"""Starts the Python kernel. The kernel's package lies beside this file; afterwards the search path begins with the working directory.

An argument is a folder of packages that count only if the interpreter has none of that name.
"""

import sys

# The session's setting is not the kernel's: Python is to compile the kernel's own modules once and store the result.
writes_none = sys.dont_write_bytecode
sys.dont_write_bytecode = False
sys.path[0] = __file__.rpartition('/')[0]
from holdfast_kernel.agent.search_path import complete_search_path  # noqa: E402
from holdfast_kernel.serve import serve  # noqa: E402

sys.dont_write_bytecode = writes_none
sys.path[0] = ''
complete_search_path(''.join(sys.argv[1:]))
serve()
