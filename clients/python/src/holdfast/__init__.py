"""Live interpreter sessions: run code in a sandbox that keeps its state.

```python
from holdfast import Holdfast

with Holdfast("http://127.0.0.1:8080") as holdfast:
    session = holdfast.sessions.create()
    print(session.run("6 * 7").text)
```

`AsyncHoldfast` is the same with `await`. Types of answers and options are in `holdfast.models`, exceptions in `holdfast.errors`.
"""

from typing import Any

from . import errors, models
from ._async.client import AsyncHoldfast
from ._async.output import AsyncOutput
from ._async.processes import AsyncProcess
from ._async.session import AsyncSession
from ._async.step_events import AsyncStepEvents
from ._async.streams import AsyncEvents
from ._channel import ChannelOutput
from ._files import FileEntries
from ._retries import Retries
from ._sync.client import Holdfast
from ._sync.output import Output
from ._sync.processes import Process
from ._sync.session import Session
from ._sync.step_events import StepEvents
from ._sync.streams import Events
from ._version import VERSION as __version__
from .errors import HoldfastError, ProblemError

__all__ = [
    "AsyncEvents",
    "AsyncHoldfast",
    "AsyncOutput",
    "AsyncProcess",
    "AsyncSession",
    "AsyncStepEvents",
    "ChannelOutput",
    "Events",
    "FileEntries",
    "Holdfast",
    "HoldfastError",
    "Output",
    "ProblemError",
    "Process",
    "Retries",
    "Session",
    "StepEvents",
    "__version__",
    "errors",
    "models",
]


def load_ipython_extension(ipython: Any) -> None:
    """`%load_ext holdfast` gives a notebook the cell magic `%%holdfast`."""
    from .notebook import register

    register(ipython)
