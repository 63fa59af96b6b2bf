"""Calls of the tools that a model has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, Mapping, Optional

from .._tool_answers import ToolAnswer, answer_of_process, answer_of_step, cut
from .._tools import COMMAND_SECONDS, TOOLS
from ..errors import Conflict, Forbidden, InvalidRequest, NotFound, TooManyRequests
from .driver import to_the_end
from .output import read_at_most

if TYPE_CHECKING:
    from .session import AsyncSession

MODELS_FAULT = (Conflict, Forbidden, InvalidRequest, NotFound, TooManyRequests, TypeError, ValueError)
BY_NAME = {tool.name: tool for tool in TOOLS}


class AsyncSessionTools:
    """The tools on one session. A call that is cancelled stops its code or command."""

    def __init__(self, session: AsyncSession, limit: int) -> None:
        self._session = session
        self._limit = limit

    async def call(self, name: str, arguments: Mapping[str, Any]) -> ToolAnswer:
        """Calls a tool by its name. A fault that the model can correct is an answer, a fault of the service is an exception."""
        tool = BY_NAME.get(name)
        if tool is None:
            return ToolAnswer(f"There is no tool {name}.", is_error=True)
        given = {key: value for key, value in arguments.items() if value is not None}
        fault = tool.fault_of(given)
        if fault is not None:
            return ToolAnswer(fault, is_error=True)
        try:
            return await getattr(self, name)(**given)  # type: ignore[no-any-return]
        except MODELS_FAULT as failure:
            return ToolAnswer(str(failure), is_error=True)

    async def run_code(self, code: str, language: Optional[str] = None, timeout_seconds: Optional[float] = None) -> ToolAnswer:
        """Runs code, and stops it if the call is cancelled."""
        given = {"language": language, "timeout_seconds": timeout_seconds}
        events = self._session.stream(code, **{name: value for name, value in given.items() if value is not None})  # type: ignore[arg-type]
        try:
            async with events:
                async for _ in events:
                    if events.needs is not None:
                        step = await self._session.steps.get(events.needs)
                        await events.interrupt()
                        return answer_of_step(step, self._limit)
        except BaseException:
            await to_the_end(events.interrupt)
            raise
        return answer_of_step(events.step, self._limit)

    async def run_command(self, command: str, timeout_seconds: float = COMMAND_SECONDS) -> ToolAnswer:
        """Runs a command, and kills it if the call is cancelled."""
        options: Dict[str, Any] = {"stderr": "stdout", "timeout_seconds": timeout_seconds}
        process = await self._session.processes._start_own(command, **options)
        try:
            return answer_of_process(await process.wait(), self._limit)
        except BaseException:
            await to_the_end(process.stop)
            raise

    async def read_file(self, path: str) -> ToolAnswer:
        """Reads no more than a model can take."""
        content = await read_at_most(self._session.files.pieces(path), 4 * self._limit + 4)
        if b"\0" in content:
            return ToolAnswer(f"{path} is not a text file.", is_error=True)
        text = content.decode(errors="replace")
        return ToolAnswer(text if len(text) <= self._limit else f"{text[: self._limit]}\n[… the rest of the file is left out …]")

    async def write_file(self, path: str, content: str) -> ToolAnswer:
        """Creates or replaces a file."""
        await self._session.files.write(path, content)
        return ToolAnswer(f"Wrote {path}.")

    async def list_files(self, path: str = "") -> ToolAnswer:
        """The entries of a directory."""
        entries = await self._session.files.list(path)
        lines = [entry.path + ("/" if entry.kind == "directory" else "") for entry in entries]
        shown = cut("\n".join(lines), self._limit) or "(no files)"
        return ToolAnswer(f"{shown}\n[… some files are left out …]" if entries.truncated else shown)
