"""The cell magic `%%holdfast`, which runs a cell in a session."""

from __future__ import annotations

import getpass
import sys
from contextlib import suppress
from typing import Any, Dict, List, Optional

from IPython.core.magic import Magics, cell_magic, line_magic, magics_class
from IPython.core.magic_arguments import argument, magic_arguments, parse_argstring
from IPython.display import clear_output, display, update_display

from ._sync.client import Holdfast
from ._sync.session import Session
from ._sync.step_events import StepEvents
from .errors import Ended, NotFound
from .models import ErrorEvent, InputRequestEvent, OutputClearedEvent, ResultEvent, ResultUpdateEvent, StderrEvent, StdoutEvent, Step


class StepFailed(Exception):
    """The code of a cell has failed, so that the notebook does not run on as if it had not."""

    def __init__(self, step: Step) -> None:
        super().__init__(f"{step.error.name}: {step.error.message}" if step.error else f"the step is {step.status}")
        self.step = step

    def _render_traceback_(self) -> List[str]:
        """The traceback of the sandbox. That of this package says nothing about the code."""
        return (self.step.error and self.step.error.traceback) or [str(self)]


@magics_class
class HoldfastMagics(Magics):
    """Keeps one session for the notebook, made by the first cell that needs it."""

    def __init__(self, shell: Any) -> None:
        super().__init__(shell)
        self._names: Dict[str, Any] = shell.user_ns
        self._holdfast: Optional[Holdfast] = None
        self._session: Optional[Session] = None

    @magic_arguments()
    @argument("--url", help="the service; by default HOLDFAST_URL or http://127.0.0.1:8080")
    @argument("--session", help="the id of a session to join, or the name of a variable that holds one")
    @argument("--new", action="store_true", help="begin with a new session")
    @line_magic("holdfast_session")  # type: ignore[arg-type,unused-ignore]
    def select(self, line: str) -> Session:
        """Chooses the service or the session of the cells that follow, and shows the session."""
        options = parse_argstring(self.select, line)
        if options.url or self._holdfast is None:
            self._holdfast, self._session = Holdfast(options.url), None
        if options.new:
            self._session = None
        if options.session:
            named = self._names.get(options.session)
            self._session = named if isinstance(named, Session) else self._holdfast.sessions.get(options.session)
        return self._current()

    @magic_arguments()
    @argument("-l", "--language", help="python, node, bash, or another language of the session")
    @argument("-c", "--context", help="the id of a context")
    @argument("-o", "--output", help="the name of a variable that gets the finished step")
    @cell_magic
    def holdfast(self, line: str, cell: str) -> None:
        """Runs the cell in the session. Stopping the cell interrupts its code. Code that fails is an error of the cell."""
        options = parse_argstring(self.holdfast, line)
        chosen = {"language": options.language, "context_id": options.context}
        session = self._current()
        arguments: Dict[str, Any] = {name: value for name, value in chosen.items() if value}
        events = session.stream(cell, on_input=_ask, actor="user", **arguments)
        with events:
            try:
                for event in events:
                    if not isinstance(event, ErrorEvent):
                        _show(event)
            except BaseException:
                # Stopped, or a question that this notebook cannot ask. Code that stayed would keep the next cell waiting.
                _stop(session, events)
                raise
        if options.output:
            self._names[options.output] = events.step
        if not events.step.ok:
            raise StepFailed(events.step)

    def _current(self) -> Session:
        if self._holdfast is None:
            self._holdfast = Holdfast()
        if self._session is None:
            self._session = self._holdfast.sessions.create()
        return self._session


def register(ipython: Any) -> None:
    ipython.register_magics(HoldfastMagics)


def _stop(session: Session, events: StepEvents) -> None:
    events.interrupt()
    if events.step_id is not None:
        with suppress(Ended, NotFound):
            for event in session.steps.follow(events.step_id, after=events.seq):
                _show(event)


def _ask(event: InputRequestEvent) -> Optional[str]:
    try:
        return getpass.getpass(event.prompt) if event.password else input(event.prompt)
    except EOFError:
        return None


def _show(event: Any) -> None:
    if isinstance(event, StdoutEvent):
        print(event.text, end="", flush=True)
    elif isinstance(event, StderrEvent):
        print(event.text, end="", file=sys.stderr, flush=True)
    elif isinstance(event, ResultEvent):
        display(event.data, metadata=event.metadata, raw=True, display_id=event.display_id)
    elif isinstance(event, ResultUpdateEvent):
        update_display(event.data, metadata=event.metadata, raw=True, display_id=event.display_id)
    elif isinstance(event, OutputClearedEvent):
        clear_output(wait=event.wait)
    elif isinstance(event, ErrorEvent):
        print("\n".join(event.traceback) or f"{event.name}: {event.message}", file=sys.stderr)
