"""The answers of boxes, and the code that they run."""

from __future__ import annotations

import base64
import json
import os
from dataclasses import dataclass
from typing import Any, Dict, Iterator, List, Literal, Optional, Sequence, Union

from .models import ErrorEvent, ProcessStderrEvent, ProcessStdoutEvent, ResultEvent, SessionContext, StderrEvent, StdoutEvent, Step


@dataclass
class ExecChunk:
    """A piece of output."""

    type: Literal["txt", "img", "err"]
    content: str
    """Text, or a PNG or JPEG image in base64."""


@dataclass
class ExecResult:
    """All output of some code."""

    chunks: List[ExecChunk]

    @property
    def text(self) -> str:
        """Its printed text, and the value of its last expression."""
        return "".join(chunk.content for chunk in self.chunks if chunk.type == "txt")

    @property
    def images(self) -> List[str]:
        """In base64."""
        return [chunk.content for chunk in self.chunks if chunk.type == "img"]

    @property
    def errors(self) -> List[str]:
        """Its output on `stderr`, and the error that ended it."""
        return [chunk.content for chunk in self.chunks if chunk.type == "err"]


@dataclass(eq=False)
class CodeBoxOutput:
    """The output of `run`."""

    type: Literal["stdout", "stderr", "image/png", "error"]
    content: str

    def __str__(self) -> str:
        return self.content

    def __eq__(self, other: object) -> bool:
        if isinstance(other, CodeBoxOutput):
            return (self.type, self.content) == (other.type, other.content)
        return self.content == other if isinstance(other, str) else NotImplemented


def output_of(result: ExecResult) -> CodeBoxOutput:
    if result.images:
        return CodeBoxOutput("image/png", result.images[0])
    if result.errors:
        return CodeBoxOutput("stderr", result.errors[0])
    return CodeBoxOutput("stdout", result.text)


def code_of(code: Union[str, os.PathLike[str]]) -> str:
    """The code, or that of a file on this machine."""
    if not isinstance(code, os.PathLike):
        return code
    with open(code, encoding="utf-8") as file:
        return file.read()


VISITS = {
    "python": ("[__import__('os').getcwd(), __import__('os').chdir({})][0]", "__import__('os').chdir({})"),
    "node": ("[process.cwd(), process.chdir({})][0]", "process.chdir({})"),
}
"""Code that goes to a directory, and whose value is the one before, and code that goes back. A step has no directory of its own."""


def entering(cwd: str, kernel: str) -> Dict[str, Any]:
    """The step that goes to a directory."""
    context = context_of(kernel)
    if context not in VISITS:
        raise ValueError(f"a box cannot bring {kernel} to a directory: leave out `cwd`, and let the code go there")
    # Both languages read a string of JSON as their own.
    return _silently(context, VISITS[context][0].format(json.dumps(cwd, ensure_ascii=False)))


def leaving(entered: Step, cwd: str, kernel: str) -> Dict[str, Any]:
    """The step that goes back."""
    if not entered.ok:
        raise NotADirectoryError(cwd)
    context = context_of(kernel)
    return _silently(context, VISITS[context][1].format(entered.text))


def _silently(context: str, code: str) -> Dict[str, Any]:
    return {"code": code, "context_id": context, "record": "silent"}


def context_of(kernel: str) -> str:
    return "python" if kernel == "ipython" else kernel


def options_of(timeout: Optional[float], *, kernel: Optional[str] = None, cwd: Optional[str] = None) -> Any:
    options: Dict[str, Any] = {} if timeout is None else {"timeout_seconds": timeout}
    if kernel is not None:
        options["context_id"] = context_of(kernel)
    if cwd is not None:
        options["cwd"] = cwd
    return options


def chunk_of(event: Any) -> Iterator[ExecChunk]:
    if isinstance(event, StdoutEvent):
        yield ExecChunk("txt", event.text)
    elif isinstance(event, StderrEvent):
        yield ExecChunk("err", event.text)
    elif isinstance(event, ErrorEvent):
        yield ExecChunk("err", "\n".join(event.traceback) or f"{event.name}: {event.message}")
    elif isinstance(event, ResultEvent):
        image = event.data.get("image/png") or event.data.get("image/jpeg")
        if image:
            yield ExecChunk("img", "".join(str(image).split()))
        elif "text/plain" in event.data:
            yield ExecChunk("txt", str(event.data["text/plain"]))


def chunk_of_process(event: Any) -> Iterator[ExecChunk]:
    if isinstance(event, (ProcessStdoutEvent, ProcessStderrEvent)):
        text = event.text if event.text is not None else base64.b64decode(event.base64 or "").decode(errors="replace")
        yield ExecChunk("txt" if event.type == "stdout" else "err", text)


def raise_timeout(status: str, timeout: Optional[float]) -> None:
    if status == "timed_out":
        raise TimeoutError(f"the code ran for more than {timeout} s")


def variables_code(context: SessionContext) -> str:
    names = [symbol.name for symbol in context.symbols if symbol.context_id == "python" and symbol.kind == "variable"]
    shown = ", ".join(f"{name!r}: str({name})" for name in names)
    return f"print(__import__('json').dumps({{{shown}}}))"


def variables_of(step: Step) -> Dict[str, str]:
    return json.loads(step.stdout) if step.ok else {}


def install_code(packages: Sequence[str]) -> str:
    command = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--root-user-action", "ignore", *packages]
    return f"__import__('subprocess').run([__import__('sys').executable, *{command!r}], check=True) and None"


def url_code(url: str, path: str) -> str:
    return f"__import__('urllib.request').request.urlretrieve({url!r}, {path!r}) and None"
