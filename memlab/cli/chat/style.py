"""How the terminal's lines look: colours, and lines that end between words.

Colour never says what no word or sign says as well. It is left out where
``NO_COLOR`` is set, and where the screen cannot show it.
"""

from __future__ import annotations

import os
import re
import sys
import textwrap
from contextlib import suppress
from typing import Literal

Look = Literal["agent", "aside", "notice", "card", "error", "plain"]
_CODES = {
    "agent": "1;32",
    "aside": "2",
    "notice": "33",
    "card": "36",
    "error": "1;31",
}
_MARGIN = re.compile(r"(?:│ | *(?:[-•] )?)")
NARROWEST = 20


class Style:
    """Colours and width of one screen; both are off unless a person is at a
    terminal that can show them.
    """

    def __init__(self, *, colour: bool = True) -> None:
        wanted = colour and not os.environ.get("NO_COLOR")
        self.colour = wanted and can_edit()

    def paint(self, text: str, look: Look) -> str:
        """Colour a text."""
        code = _CODES.get(look, "")
        if not (self.colour and code and text):
            return text
        return f"\x1b[{code}m{text}\x1b[0m"

    @property
    def width(self) -> int:
        """The columns of the screen, 0 where lines are not wrapped."""
        with suppress(OSError, ValueError):
            columns = os.get_terminal_size(sys.stdout.fileno()).columns
            return max(columns, NARROWEST)
        return 0

    def wrap(self, text: str) -> str:
        """Break long lines between words; what goes on is set in."""
        width = self.width
        if not width:
            return text
        return "\n".join(_wrapped(line, width) for line in text.split("\n"))


def _wrapped(line: str, width: int) -> str:
    if len(line) < width:
        return line
    margin = _MARGIN.match(line)
    further = margin[0] if margin else ""
    if not further.startswith("│"):
        further = " " * len(further)
    return textwrap.fill(
        line,
        width - 1,
        subsequent_indent=further,
        break_long_words=False,
        break_on_hyphens=False,
        replace_whitespace=False,
    )


class Stream:
    """Breaks a text that comes in pieces between words.

    A word is held back until it is whole; ``rest`` gives the last one.
    """

    def __init__(self, style: Style) -> None:
        self._style = style
        self._column = 0
        self._word = ""
        self._space = ""

    def begin(self, column: int) -> None:
        """Go on from this column."""
        self._column = column
        self._space = ""

    def feed(self, text: str) -> str:
        """Return what can be printed now."""
        if not self._style.width:
            return text
        *parts, self._word = re.split(r"(\s)", self._word + text)
        return "".join(map(self._placed, parts))

    def rest(self) -> str:
        """Return the word that was held back."""
        word, self._word = self._word, ""
        return self._placed(word)

    def _placed(self, part: str) -> str:
        if part == "\n":
            self._column = 0
            self._space = ""
            return part
        if part.isspace():
            # the next word decides whether a line ends here
            self._space += part
            return ""
        if not part:
            return ""
        space, self._space = self._space, ""
        if self._column + len(space) + len(part) < self._style.width:
            self._column += len(space) + len(part)
            return f"{space}{part}"
        broken = "\n" * bool(self._column and space)
        self._column = len(part)
        return f"{broken}{part}"


def can_edit() -> bool:
    """Tell whether a person is at a terminal that can move its cursor."""
    tty = sys.stdin.isatty() and sys.stdout.isatty()
    return tty and os.environ.get("TERM", "").lower() not in (
        "dumb",
        "unknown",
    )
