"""Sets environment variables for one step alone."""

import os
import time


class StepEnvironment:
    """A `with` block in which these variables are set. Afterwards each has its earlier value again, even if the code has changed it."""

    def __init__(self, variables):
        self._variables = variables

    def __enter__(self):
        self._before = {name: os.environ.get(name) for name in self._variables}
        os.environ.update(self._variables)
        self._apply_time_zone()

    def __exit__(self, *_error):
        for name, value in self._before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
        self._apply_time_zone()

    def _apply_time_zone(self):
        if 'TZ' in self._variables:
            time.tzset()
