"""Makes the folder into which pip installs for a user before the interpreter first looks for it.

One that is not there at the start is left out of the search path, and `import` would not find what a step has just installed.
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
            # Before the system's packages, so that what a user installs wins, as it does where the folder was there.
            system = (at for at, path in enumerate(sys.path) if path.endswith('-packages'))
            sys.path.insert(next(system, len(sys.path)), folder)
