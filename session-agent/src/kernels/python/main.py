"""Starts the Python kernel. Its package is found beside this file; afterwards the search path begins with the working directory."""

import sys

sys.path[0] = __file__.rpartition('/')[0]
from holdfast_kernel.serve import serve  # noqa: E402

sys.path[0] = ''
serve()
