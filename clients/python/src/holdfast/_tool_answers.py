"""The answers of tools, as models read them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, List, Tuple

from .models import ProcessRecord, Step

IMAGES = ("image/png", "image/jpeg")
IMAGES_MAX = 20
IMAGE_CHARACTERS = 14 * 1024 * 1024
"""About 10 MB as base64."""
ENDS = {
    "timed_out": "was stopped, because its time was over",
    "interrupted": "was interrupted",
    "lost": "was lost together with its sandbox",
    "rejected": "was refused",
}
"""The ends that a status names, for sentences."""


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
