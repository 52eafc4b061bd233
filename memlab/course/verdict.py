"""What ``check`` says, as HTML in a notebook and as plain text elsewhere.

A sign says everything that a colour says.
"""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from html import escape
from typing import Literal

_SIGNS = {
    "todo": ("○", "#57606a"),
    "not yet": ("✗", "#b4232c"),
    "pass": ("✓", "#1a7f37"),
}
_LABEL = (
    '<span style="background:{};color:#ffffff;font-weight:bold;'
    'border-radius:3px;padding:1px 6px">{} {}</span>'
)
_STYLE = (  # keeps lines and spaces, and breaks a long line between words
    "white-space:pre-wrap;word-break:normal;overflow-wrap:break-word;"
    "line-height:1.5"
)


@dataclass(frozen=True, repr=False)
class Verdict:
    """How a learner's function did, in lines."""

    state: Literal["todo", "not yet", "pass"]
    lines: tuple[str, ...]

    def __repr__(self) -> str:
        return f"{_SIGNS[self.state][0]} {self.state}  {self._text}"

    def _repr_html_(self) -> str:
        sign, colour = _SIGNS[self.state]
        label = _LABEL.format(colour, sign, self.state)
        return f'<pre style="{_STYLE}">{label} {escape(self._text)}</pre>'

    @property
    def _text(self) -> str:
        indent = " " * (len(self.state) + 4)
        return f"\n{indent}".join(self.lines)


def todo(name: str) -> Verdict:
    """Say in one line that something is not written yet, and what happens if
    the learner goes on without it.
    """
    said = f"{name} is not written yet: until it passes, memlab's version is"
    return Verdict("todo", (f"{said} used · {help_for(name)}",))


def refusal(text: str) -> Verdict:
    """Say what is wrong before any case was tried."""
    return Verdict("not yet", tuple(textwrap.wrap(text, 68)))


def help_for(name: str) -> str:
    """Name the two calls that help."""
    return f'hint("{name}") · solution("{name}")'
