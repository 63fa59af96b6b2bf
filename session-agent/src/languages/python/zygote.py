"""Loads the libraries of its arguments, then forks a kernel from itself whenever the agent asks."""

import os
import sys

# What is loaded here is to be compiled once, whatever holds for the session's modules.
writes_none = sys.dont_write_bytecode
sys.dont_write_bytecode = False
sys.path[0] = __file__.rpartition('/')[0]
from holdfast_kernel.notebook_imports import import_as_in_notebooks  # noqa: E402
from holdfast_kernel.pretty import pretty_text  # noqa: E402, F401
from holdfast_kernel.serve import serve  # noqa: E402
from holdfast_zygote.fork_kernels import fork_kernels  # noqa: E402
from holdfast_zygote.preload import preload  # noqa: E402

del sys.path[0]
for fd in (5, 6):
    # Taken before a library can have something open there, where kernels get their own.
    os.dup2(0, fd)
import_as_in_notebooks()
# What a kernel loads when it first needs it comes first.
preloaded = preload(['_ctypes', 'inspect', 'traceback', *sys.argv[1:]])
sys.dont_write_bytecode = writes_none
sys.path.insert(0, '')
fork_kernels(preloaded)
serve()
