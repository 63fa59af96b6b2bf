"""Tools of LangChain that run code and commands in a session, and read and write its files.

```python
from holdfast import AsyncHoldfast
from holdfast.langchain import session_tools
from langchain.agents import create_agent

async with AsyncHoldfast() as holdfast, await holdfast.sessions.create() as session:
    agent = create_agent("claude-sonnet-4-5", session_tools(session))
```
"""

from __future__ import annotations

from typing import Any, List, Tuple, Union

from langchain_core.tools import BaseTool, StructuredTool, ToolException

from ._async.session import AsyncSession
from ._async.session_tools import AsyncSessionTools
from ._sync.session import Session
from ._sync.session_tools import SessionTools
from ._tool_answers import ToolAnswer
from ._tools import OUTPUT_CHARACTERS, TOOLS, Tool

__all__ = ["session_tools"]


def session_tools(session: Union[Session, AsyncSession], *, output_characters: int = OUTPUT_CHARACTERS) -> List[BaseTool]:
    """`run_code`, `run_command`, `read_file`, `write_file` and `list_files` for an agent.

    Tools of an `AsyncSession` are for `ainvoke`; a call that is cancelled stops its code. Tools of a `Session` are for both, and a cancelled
    call of theirs runs on. The artifact of a message is the step or the process. A longer output than `output_characters` is cut.
    """
    if isinstance(session, AsyncSession):
        return [_asynchronous(tool, AsyncSessionTools(session, output_characters)) for tool in TOOLS]
    return [_synchronous(tool, SessionTools(session, output_characters)) for tool in TOOLS]


def _synchronous(tool: Tool, tools: SessionTools) -> BaseTool:
    def call(**arguments: Any) -> Tuple[Any, Any]:
        return _message(tools.call(tool.name, arguments))

    return StructuredTool.from_function(func=call, **_described(tool))


def _asynchronous(tool: Tool, tools: AsyncSessionTools) -> BaseTool:
    async def call(**arguments: Any) -> Tuple[Any, Any]:
        return _message(await tools.call(tool.name, arguments))

    return StructuredTool.from_function(coroutine=call, **_described(tool))


def _described(tool: Tool) -> Any:
    return {
        "name": tool.name,
        "description": tool.description,
        "args_schema": tool.schema,
        "response_format": "content_and_artifact",
        "handle_tool_error": True,
    }


def _message(answer: ToolAnswer) -> Tuple[Any, Any]:
    if answer.is_error:
        raise ToolException(answer.text)
    if not answer.images:
        return answer.text, answer.artifact
    images = [{"type": "image", "base64": content, "mime_type": mime} for mime, content in answer.images]
    return [{"type": "text", "text": answer.text}, *images], answer.artifact
