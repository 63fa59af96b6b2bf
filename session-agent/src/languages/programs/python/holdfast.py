"""The module `holdfast` of Python programs that a step starts: the same as in the kernel, which lies beside modules that are not theirs."""

import importlib.util
import os
import sys

_languages = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
_spec = importlib.util.spec_from_file_location(__name__, os.path.join(_languages, 'python', 'holdfast', '__init__.py'))
sys.modules[__name__] = _module = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_module)
