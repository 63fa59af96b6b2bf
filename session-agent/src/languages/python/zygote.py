"""Loads libraries, then forks a kernel from itself whenever the agent asks.

The arguments are the folder of packages that main.py describes, or an empty text, and the names of the libraries.
"""

import os
import sys

# The session's setting is not the zygote's: Python is to compile the modules loaded here once and store the result.
writes_none = sys.dont_write_bytecode
sys.dont_write_bytecode = False
sys.path[0] = __file__.rpartition('/')[0]
from holdfast_kernel.notebook.imports import import_as_in_notebooks  # noqa: E402
from holdfast_kernel.agent.search_path import complete_search_path  # noqa: E402
from holdfast_kernel.serve import serve  # noqa: E402
from holdfast_zygote.fork_kernels import fork_kernels  # noqa: E402
from holdfast_zygote.preload import preload  # noqa: E402

del sys.path[0]
for fd in (5, 6):
    # Kernels get descriptors of their own at these numbers, so no library may open a file there.
    os.dup2(0, fd)
import_as_in_notebooks()
complete_search_path(sys.argv[1])
# The modules that a kernel loads only when it needs them come first, with those that IPython loads when it builds a shell.
ipython = [
    'holdfast_kernel.notebook.build_shell',
    'holdfast_kernel.notebook.shell_steps',
    *['IPython.core.' + name for name in ('application', 'completer', 'completerlib', 'magics', 'oinspect')],
    'IPython.extensions.storemagic',
    'sqlite3',
]
saving = ['holdfast_kernel.state.attempts', 'holdfast_kernel.state.save_names', 'holdfast_kernel.state.beside.beside_names']
# Not in a kernel, which would find the workspace's `ctypes` first.
confining = 'holdfast_kernel.agent.confinement'
preloaded = preload(['_ctypes', 'inspect', 'traceback', confining, *saving, *ipython, *sys.argv[2:]])
sys.dont_write_bytecode = writes_none
sys.path.insert(0, '')
fork_kernels(preloaded)
serve()
