"""The tools that the adapters give to models, and their answers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Dict, List, Mapping, Optional, Tuple

from .models import ProcessRecord, Step

OUTPUT_CHARACTERS = 20_000
IMAGES = ("image/png", "image/jpeg")
IMAGES_MAX = 20
IMAGE_CHARACTERS = 14 * 1024 * 1024
"""About 10 MB as base64."""
COMMAND_SECONDS = 300
"""The time of a command for which the model asks for none. Without one, a command that never ends would hold up its agent for ever."""
ENDS = {
    "timed_out": "was stopped, because its time was over",
    "interrupted": "was interrupted",
    "lost": "was lost together with its sandbox",
    "rejected": "was refused",
}
"""The ends that a status names, for sentences."""
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


@dataclass(frozen=True)
class ToolAnswer:
    """The answer of a tool, as a model reads it."""

    text: str
    images: List[Tuple[str, str]] = field(default_factory=list)
    """MIME type and base64 of each."""
    is_error: bool = False
    """Whether the call was wrong. Code and commands that fail are answers like any other."""
    artifact: Any = None
    """The step or the process, for the program around the agent."""


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


def cut(text: str, limit: int) -> str:
    """The beginning and the end of a text that is too long for a model."""
    if len(text) <= limit:
        return text
    half = limit // 2
    return f"{text[:half]}\n[… {len(text) - 2 * half} characters are left out …]\n{text[-half:]}"


def answer_of_step(step: Step, limit: int) -> ToolAnswer:
    parts = [step.stdout, step.stderr, *(result.text or "" for result in step.results)]
    if step.error is not None:
        parts.append("\n".join(step.error.traceback) or f"{step.error.name}: {step.error.message}")
    if step.outcome is not None and step.outcome.tag == "needs":
        parts.append("The code waits for an answer that nothing here gives.")
    elif step.status != "succeeded" and (step.error is None or step.status != "failed"):
        parts.append(f"The code {ENDS.get(step.status, 'failed')}.")
    if step.truncated:
        parts.append("A part of the output is left out.")
    found = [(mime, str(result.data[mime])) for result in step.results for mime in IMAGES if mime in result.data]
    images = [(mime, content) for mime, content in found if len(content) <= IMAGE_CHARACTERS][:IMAGES_MAX]
    if len(images) < len(found):
        parts.append(f"{len(found) - len(images)} of {len(found)} images are left out, because they are too large or too many.")
    nothing = "(no text, but images)" if images else "(no output)"
    return ToolAnswer(cut(_joined(parts), limit) or nothing, images, artifact=step)


def answer_of_process(process: ProcessRecord, limit: int) -> ToolAnswer:
    if process.status == "exited":
        end = f"exit code {process.exit_code}"
    elif process.status == "signalled":
        end = f"ended by {process.signal}"
    else:
        end = f"the command {ENDS.get(process.status, 'failed')}"
    left_out = "A part of the output is left out." if process.truncated else ""
    return ToolAnswer(_joined([cut(process.stdout, limit), left_out, f"[{end}]"]), artifact=process)


def _joined(parts: List[str]) -> str:
    return "\n".join(part.rstrip("\n") for part in parts if part)
