"""Tools of an agent that run code and commands in a session."""

from __future__ import annotations

import json
from typing import Any, Dict, List

from agents import FunctionTool, ShellCallOutcome, ShellCommandOutput, ShellCommandRequest, ShellResult, ShellTool, Tool
from agents import ToolOutputImage, ToolOutputText

from .._async.driver import to_the_end
from .._async.session import AsyncSession
from .._async.session_tools import AsyncSessionTools
from .._tool_answers import ToolAnswer
from .._tools import COMMAND_SECONDS, OUTPUT_CHARACTERS, TOOLS
from .._tools import Tool as Described


def session_tools(session: AsyncSession, *, output_characters: int = OUTPUT_CHARACTERS) -> List[Tool]:
    """`run_code`, `run_command`, `read_file`, `write_file` and `list_files`. A longer output than `output_characters` is cut.

    A call that is cancelled stops its code.
    """
    return [_function_tool(tool, AsyncSessionTools(session, output_characters)) for tool in TOOLS]


def code_interpreter(session: AsyncSession, *, output_characters: int = OUTPUT_CHARACTERS) -> FunctionTool:
    """The tool `run_code`: an interpreter that keeps its variables, and shows its images to the model."""
    return _function_tool(TOOLS[0], AsyncSessionTools(session, output_characters))


def shell(session: AsyncSession, **options: Any) -> ShellTool:
    """The shell tool of OpenAI's models, whose commands run in the session, one after the other. `options` are those of `ShellTool`.

    A command for which the model asks for no time has five minutes.
    """

    async def execute(request: ShellCommandRequest) -> ShellResult:
        action = request.data.action
        output = [await _run(session, command, action.timeout_ms) for command in action.commands]
        return ShellResult(output, max_output_length=action.max_output_length)

    return ShellTool(executor=execute, **options)


async def _run(session: AsyncSession, command: str, timeout_ms: Any) -> ShellCommandOutput:
    options: Dict[str, Any] = {"timeout_seconds": timeout_ms / 1000 if timeout_ms else COMMAND_SECONDS}
    process = await session.processes._start_own(command, **options)
    try:
        record = await process.wait()
    except BaseException:
        await to_the_end(process.stop)
        raise
    timed_out = record.status == "timed_out"
    outcome = ShellCallOutcome(type="timeout" if timed_out else "exit", exit_code=record.exit_code)
    return ShellCommandOutput(record.stdout, record.stderr, outcome, command)


def _function_tool(tool: Described, tools: AsyncSessionTools) -> FunctionTool:
    async def invoke(_: Any, arguments: str) -> Any:
        try:
            given = json.loads(arguments or "{}")
        except ValueError:
            return "The arguments are not JSON."
        if not isinstance(given, dict):
            return "The arguments are not an object."
        return _output(await tools.call(tool.name, given))

    # With a failure function, a fault of the service would look to the model like one of its own.
    return FunctionTool(tool.name, tool.description, tool.schema, invoke, strict_json_schema=False)


def _output(answer: ToolAnswer) -> Any:
    if not answer.images:
        return answer.text
    images = [ToolOutputImage(image_url=f"data:{mime};base64,{''.join(content.split())}") for mime, content in answer.images]
    return [ToolOutputText(text=answer.text), *images]
