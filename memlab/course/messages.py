"""How the course answers what a learner has written: the verdict of
``check``.

The same lines are shown as HTML in a notebook and as plain text elsewhere. A
sign says everything that a colour says.
"""

from __future__ import annotations

import sys
import textwrap
from dataclasses import dataclass, replace
from html import escape
from typing import Any, Literal

WIDTH = 79
_INDENT = " " * 13

State = Literal["todo", "not yet", "pass"]

_SIGNS: dict[str, tuple[str, str]] = {
    "todo": ("○", "#57606a"),
    "not yet": ("✗", "#b4232c"),
    "pass": ("✓", "#1a7f37"),
}
_STYLE = (
    "white-space:pre-wrap;word-break:normal;overflow-wrap:break-word;"
    "line-height:1.5"
)
"""Keeps lines and spaces; a line that is too long breaks between words."""


@dataclass(frozen=True, repr=False)
class Verdict:
    """What ``check`` says: *todo*, *not yet* or *pass*, with lines and the two
    calls that help.
    """

    state: State
    title: tuple[str, ...]
    links: str = ""

    @property
    def passed(self) -> bool:
        """Whether every case was right."""
        return self.state == "pass"

    def with_note(self, sentence: str) -> Verdict:
        """Add a sentence at the end, such as who calls the function now."""
        text = f"{' '.join(self.title)} {sentence_of(sentence)}"
        return replace(self, title=tuple(wrapped(text, WIDTH - 8).split("\n")))

    def __str__(self) -> str:
        head, *rest = self._lines()
        lines = [f"{_SIGNS[self.state][0]} {self.state}  {head}", *rest]
        return "\n".join(line.rstrip() for line in lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        head, *rest = map(escape, self._lines())
        first = f"{badge(self.state, *_SIGNS[self.state])} {head}"
        lines = "\n".join([first, *rest])
        return f'<pre style="{_STYLE}">{lines}</pre>'

    def _lines(self) -> list[str]:
        head, *rest = self.title
        lines = [head, *(" " * (len(self.state) + 4) + each for each in rest)]
        if not self.links:
            return lines
        if len(_INDENT + self.links) <= WIDTH:
            return [*lines, _INDENT + self.links]
        return [*lines, *(_INDENT + each for each in self.links.split(" · "))]


def badge(word: str, sign: str, colour: str) -> str:
    """Show a sign and a word in white letters on a colour, as HTML."""
    style = (
        f"background:{colour};color:#ffffff;font-weight:bold;"
        "border-radius:3px;padding:1px 6px"
    )
    return f'<span style="{style}">{sign} {escape(word)}</span>'


def show(message: Any) -> None:
    """Display a message in a notebook, and print it elsewhere."""
    ipython = sys.modules.get("IPython")
    if ipython is None or ipython.get_ipython() is None:
        print(message)
        return
    from IPython.display import display

    display(message)  # type: ignore[no-untyped-call]


def wrapped(text: str, width: int = WIDTH, indent: str = "") -> str:
    """Break a text into lines, between words only."""
    return "\n".join(
        textwrap.wrap(
            text,
            width,
            subsequent_indent=indent,
            break_long_words=False,
            break_on_hyphens=False,
        )
    )


def sentence_of(text: str) -> str:
    """Begin a text with a capital letter, unless it begins with a name in
    code, and end it with a full stop.
    """
    text = text.strip()
    first = text.split(" ", 1)[0]
    if first.isalpha():
        text = text[0].upper() + text[1:]
    return text if not text or text[-1] in ".!?" else f"{text}."


def todo(name: str) -> Verdict:
    """Say in one line that something is not written yet, and what happens if
    the learner goes on without it.
    """
    said = f"{name} is not written yet: until it passes, memlab's version is"
    return Verdict("todo", (f"{said} used · {links_for(name)}",))


def refusal(sentence: str, name: str = "") -> Verdict:
    """Say what is wrong before any case was tried."""
    links = links_for(name) if name else ""
    lines = wrapped(sentence_of(sentence), WIDTH - 11).split("\n")
    return Verdict("not yet", tuple(lines), links)


def links_for(name: str) -> str:
    """Name the two calls that help."""
    return f'hint("{name}") · solution("{name}")'
