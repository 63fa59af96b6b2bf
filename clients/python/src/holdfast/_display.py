"""How results, steps and sessions show themselves in a notebook."""

from __future__ import annotations

from html import escape
from typing import Any, Dict, List, Optional, Tuple

Bundle = Tuple[Dict[str, Any], Dict[str, Any]]


class ShownResult:
    """A MIME bundle, which Jupyter shows as its own."""

    data: Dict[str, Any]
    metadata: Dict[str, Any]

    @property
    def text(self) -> Optional[str]:
        """Its plain text."""
        return self.data.get("text/plain")

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> Bundle:
        return self.data, self.metadata


class ShownStep:
    """Output, results and error of a step, one after the other."""

    stdout: str
    stderr: str
    results: List[Any]
    error: Any
    status: str

    @property
    def ok(self) -> bool:
        """Whether the code succeeded."""
        return self.status == "succeeded"

    @property
    def text(self) -> Optional[str]:
        """The plain text of the value of the last expression."""
        return next((result.text for result in reversed(self.results) if result.is_main), None)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> Bundle:
        plain = [self.stdout.rstrip("\n"), self.stderr.rstrip("\n"), *(result.text or "" for result in self.results)]
        html = [_pre(self.stdout), _pre(self.stderr, "color: #b00"), *(_html_of(result) for result in self.results)]
        if self.error:
            trace = "\n".join(self.error.traceback) or f"{self.error.name}: {self.error.message}"
            plain.append(trace)
            html.append(_pre(trace, "color: #b00"))
        if self.status != "succeeded" and not self.error:
            plain.append(f"The step is {self.status}.")
            html.append(_pre(f"The step is {self.status}."))
        return {"text/plain": "\n".join(filter(None, plain)), "text/html": "".join(html)}, {}


def show_session(id: str, status: str, language: str, expires_at: str) -> Bundle:
    plain = f"Session {id}: {status}, {language}, until {expires_at}"
    rows = [("Session", id), ("Status", status), ("Language", language), ("Expires", expires_at)]
    cells = "".join(f"<tr><th>{name}</th><td>{escape(value)}</td></tr>" for name, value in rows)
    return {"text/plain": plain, "text/html": f"<table>{cells}</table>"}, {}


def _html_of(result: Any) -> str:
    data = result.data
    for mime in ("image/png", "image/jpeg"):
        if mime in data:
            return f'<img src="data:{mime};base64,{escape("".join(str(data[mime]).split()))}">'
    for mime in ("text/html", "image/svg+xml"):
        if mime in data:
            return str(data[mime])
    return _pre(str(data.get("text/plain", "")))


def _pre(text: str, style: str = "") -> str:
    return f'<pre style="{style}">{escape(text)}</pre>' if text else ""
