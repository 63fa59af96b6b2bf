# Generated from `_async/session.py` by `generate/sync.py`: do not edit.
"""One session: its steps, and the way to everything else that it has."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Optional, Union

from .. import _requests as requests
from .._display import Bundle, show_session
from .._endless_positions import SessionPosition
from .._positions import StepPosition
from ..errors import Ended, NotFound
from ..models import (
    Budget,
    BudgetRemaining,
    Forks,
    PausedSession,
    ProcessOptions,
    ReportedUsage,
    RunOptions,
    SessionContext,
    SessionEvent,
    SessionRecord,
    SessionUsage,
    Step,
    TerminalSize,
    UpdateOptions,
)
from .contexts import Contexts
from .driver import result_of, to_the_end
from .files import Files
from .jobs import Jobs
from .operations import Operations
from .ports import Ports
from .processes import Processes, open_channel
from .proposals import Proposals
from .records import Records
from .shares import Shares
from .snapshots import Snapshots
from .step_events import StepEvents, OnEvent, OnInput
from .steps import Steps
from .streams import Events
from .transport import Transport

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .channel import Channel


class Session:
    """A live interpreter with its files.

    In `with`, a session that this program created is completed at the end, and one that it only opened stays.
    """

    def __init__(self, transport: Transport, record: SessionRecord, *, is_own: bool = False) -> None:
        self._transport = transport
        self._is_own = is_own
        self.record = record
        """The session as the service described it last. `refresh()` asks again."""
        self.id = record.id
        self.steps: Steps = Steps(transport, self.id)
        self.contexts: Contexts = Contexts(transport, self.id)
        self.files: Files = Files(transport, self.id)
        self.jobs: Jobs = Jobs(transport, self.id)
        self.processes: Processes = Processes(transport, self.id)
        self.ports: Ports = Ports(transport, self.id)
        self.snapshots: Snapshots = Snapshots(transport, self.id)
        self.proposals: Proposals = Proposals(transport, self.id)
        self.operations: Operations = Operations(transport, self.id)
        self.shares: Shares = Shares(transport, self.id)
        self.records: Records = Records(transport, self.id)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.id} {self.record.status}>"

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> Bundle:
        return show_session(self.id, self.record.status, self.record.language, self.record.expires_at)

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_: object) -> None:
        if not self._is_own:
            return
        with suppress(Ended, NotFound):
            to_the_end(self._complete)

    # Steps

    def run(
        self,
        code: str,
        *,
        on_event: Optional[OnEvent] = None,
        on_input: Optional[OnInput] = None,
        **options: Unpack[RunOptions],
    ) -> Step:
        """Runs code and waits for its end. Code that fails is a step with an `error`, not an exception. See `RunOptions`.

        `on_event` gets every event as it happens. `on_input` gets each `InputRequestEvent` and returns the text, or `None` for the end of
        input. If code needs an input or an operation that nothing here answers, the step is returned as it is, with the outcome `needs`:
        answer it, and then `session.steps.wait(step.id)`.
        """
        with self.stream(code, on_input=on_input, **options) as events:
            for event in events:
                if on_event is not None:
                    result_of(on_event, [event])
                if events.needs is not None:
                    return self.steps.get(events.needs)
        return events.step

    def stream(self, code: str, *, on_input: Optional[OnInput] = None, **options: Unpack[RunOptions]) -> StepEvents:
        """Runs code when the first event is asked for, and gives its events as they happen. Afterwards `.step` is the finished step."""
        body = {"code": code, **options}
        if on_input is not None:
            body.setdefault("stdin", True)
        path = requests.session_path(self.id, "steps")
        start = requests.create(path, body, accept=requests.EVENTS)
        return StepEvents(self._transport, StepPosition(self.id, start=start), on_input, self.operations)

    def start(self, code: str, **options: Unpack[RunOptions]) -> Step:
        """Runs code without waiting for it. `session.steps.wait(step.id)` waits, `session.steps.follow(step.id)` gives its events."""
        body = {"code": code, "wait": False, **options}
        return self._transport.fetch(Step, requests.create(requests.session_path(self.id, "steps"), body))

    def terminal(
        self, command: Union[str, List[str], None] = None, *, columns: int = 80, rows: int = 24, **options: Unpack[ProcessOptions]
    ) -> Channel:
        """A terminal in the sandbox with bash, or another command. In `with`, its process is killed at the end.

        Needs `pip install holdfast[terminal]`.
        """
        options["terminal"] = TerminalSize(columns=columns, rows=rows)
        process = self.processes._start_own(command or ["bash"], **options)
        return open_channel(self._transport, process, ends_process=True)

    def on_operation(self, name: str, function: Callable[..., Any]) -> None:
        """Answers calls of a host operation by steps that run through this object: `function(*arguments)` returns the value.

        An `OperationError` is raised in the code that called. About any other exception the code learns only that the function has failed,
        and the log of `holdfast` has it. The arguments come from the sandbox, so check them. Needs the scope `host`.
        """
        self.operations.functions[name] = function

    def events(self, *, after: Optional[str] = None, from_: str = "start") -> Events[SessionEvent]:
        """Everything that happens in the session, by every actor. `from_="now"` leaves out what is over."""
        return Events(self._transport, SessionPosition(self.id, after=after, start=from_))

    # The session itself

    def refresh(self) -> SessionRecord:
        """Asks for the session as it is now."""
        return self._become(requests.get(self._path()))

    def update(self, **options: Unpack[UpdateOptions]) -> SessionRecord:
        """Changes metadata, timeouts, policy, budget or webhooks. Metadata is merged; `None` removes a key.

        `budget=None` takes the session out of its budget.
        """
        return self._become(requests.patch(self._path(), dict(options)))

    def pause(self, *, force: Optional[bool] = None) -> PausedSession:
        """Saves the state and gives up the sandbox until `resume()`. The answer lists what could not be saved."""
        paused = self._transport.fetch(PausedSession, requests.act(self._path("pause"), {"force": force}))
        self.refresh()
        return paused

    def resume(self) -> SessionRecord:
        """Gives a paused session a sandbox with its files and its state."""
        return self._become(requests.act(self._path("resume")))

    def recover(self, *, strategy: Optional[str] = None) -> SessionRecord:
        """Gives a lost session a new sandbox. `record.last_recovery` says what came back."""
        return self._become(requests.act(self._path("recover"), {"strategy": strategy}))

    def complete(self) -> SessionRecord:
        """Ends the session as done. Its history and files stay readable."""
        return self._become(requests.act(self._path("complete")))

    def abort(self) -> SessionRecord:
        """Ends the session as given up. Its history and files stay readable."""
        return self._become(requests.act(self._path("abort")))

    def delete(self) -> None:
        """Ends the session and deletes all that it has."""
        self._transport.json(requests.delete(self._path()))

    def fork(
        self,
        count: int = 1,
        *,
        snapshot_id: Optional[str] = None,
        metadata: Optional[Dict[str, str]] = None,
        budget: Optional[Budget] = None,
    ) -> List[Session]:
        """Sessions that go on from the state of this one, each on its own."""
        body = {"count": count, "snapshot_id": snapshot_id, "metadata": metadata, "budget": budget}
        forks = self._transport.fetch(Forks, requests.create(self._path("fork"), body))
        return [type(self)(self._transport, record, is_own=True) for record in forks.items]

    def context(self) -> SessionContext:
        """The code that made the present state, and the names that it defined."""
        return self._transport.fetch(SessionContext, requests.get(self._path("context")))

    def usage(self) -> SessionUsage:
        """The use of the session: time, memory, disk."""
        return self._transport.fetch(SessionUsage, requests.get(self._path("usage")))

    def report_usage(self, *, tokens: Optional[int] = None, cost: Optional[str] = None) -> Optional[BudgetRemaining]:
        """Charges the budget with model calls of the host, and says what is left of it. Needs the scope `host`."""
        request = requests.create(self._path("usage"), {"tokens": tokens, "cost": cost})
        return (self._transport.fetch(ReportedUsage, request)).budget_remaining

    def _path(self, *parts: str) -> str:
        return requests.session_path(self.id, *parts)

    def _complete(self) -> None:
        self.complete()

    def _become(self, request: requests.Request) -> SessionRecord:
        self.record = self._transport.fetch(SessionRecord, request)
        return self.record
