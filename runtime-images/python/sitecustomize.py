"""Creates the folder into which pip installs packages for a user, before the interpreter checks for it.

If the folder is missing at the start, the search path lacks it, and `import` would not find a package that a step has just installed.
"""

import os
import site
import sys

if site.ENABLE_USER_SITE:
    folder = site.getusersitepackages()
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError:
        pass
    else:
        if folder not in sys.path:
            # Before the system's packages, so that a user's packages win, as they do if the folder existed.
            system = (at for at, path in enumerate(sys.path) if path.endswith('-packages'))
            sys.path.insert(next(system, len(sys.path)), folder)
