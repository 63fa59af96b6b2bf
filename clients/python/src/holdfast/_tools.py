"""The tools that the adapters give to models."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List, Mapping, Optional

OUTPUT_CHARACTERS = 20_000
COMMAND_SECONDS = 300
"""The time of a command for which the model asks for none. Without one, a command that never ends would hold up its agent for ever."""
KINDS: Dict[str, Any] = {"string": str, "number": (int, float)}


@dataclass(frozen=True)
class Tool:
    """The description of a tool for a model. Its arguments are those of the method with its name."""

    name: str
    description: str
    schema: Dict[str, Any]

    def fault_of(self, arguments: Mapping[str, Any]) -> Optional[str]:
        """The first argument that the tool cannot take, as the model is told about it."""
        for name, value in arguments.items():
            wanted = self.schema["properties"].get(name)
            if wanted is None:
                return f"{self.name} has no argument {name}."
            if isinstance(value, bool) or not isinstance(value, KINDS[wanted["type"]]):
                return f"The argument {name} of {self.name} must be a {wanted['type']}."
            if isinstance(value, str) and not is_unicode(value):
                return f"The argument {name} of {self.name} has half of a surrogate pair."
        return None


def _schema(required: List[str], **properties: Any) -> Dict[str, Any]:
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def _text(description: str) -> Dict[str, Any]:
    return {"type": "string", "description": description}


_SECONDS = {"type": "number", "exclusiveMinimum": 0, "description": "Stops it after so many seconds"}
_COMMAND_SECONDS = {**_SECONDS, "description": f"Stops it after so many seconds, by default {COMMAND_SECONDS}"}

TOOLS = (
    Tool(
        "run_code",
        "Runs code in an interpreter that keeps its variables from call to call. The answer has its output, the value of the last expression, "
        "images, and the error if it fails. The code cannot ask for input.",
        _schema(["code"], code=_text("The code"), language=_text("python, node or bash; by default that of the session"), timeout_seconds=_SECONDS),
    ),
    Tool(
        "run_command",
        "Runs a shell command in a process of its own, in the workspace. The answer has its output and its exit code.",
        _schema(["command"], command=_text("The command, for a POSIX shell"), timeout_seconds=_COMMAND_SECONDS),
    ),
    Tool("read_file", "Reads a text file.", _schema(["path"], path=_text("Relative to the workspace, or absolute"))),
    Tool(
        "write_file",
        "Creates or replaces a text file, and its directories.",
        _schema(["path", "content"], path=_text("Relative to the workspace, or absolute"), content=_text("The whole file")),
    ),
    Tool("list_files", "Lists a directory.", _schema([], path=_text("Relative to the workspace, or absolute; by default the workspace"))),
)


def is_unicode(text: str) -> bool:
    """Whether it can be sent. JSON of a model may have halves of surrogate pairs, which no encoding takes."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
