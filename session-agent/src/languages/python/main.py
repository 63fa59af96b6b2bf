"""Starts the Python kernel. Its package is found beside this file; afterwards the search path begins with the working directory."""

import sys

# The modules of this program are to be compiled once, whatever holds for the session's.
writes_none = sys.dont_write_bytecode
sys.dont_write_bytecode = False
sys.path[0] = __file__.rpartition('/')[0]
from holdfast_kernel.serve import serve  # noqa: E402

sys.dont_write_bytecode = writes_none
sys.path[0] = ''
serve()
