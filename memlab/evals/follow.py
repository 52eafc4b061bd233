"""Whether an answer follows a memory: the checks of the labelled set of
following, applied by code.

Left out: asking. An answer is a text or a call of a tool, whoever gave it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from memlab.evals.labelled import Check, FollowCase, ToolAnswer

_FENCED = re.compile(r"```[^\n]*\n(.*?)```", re.DOTALL)
_CODE = ("content", "new_string", "command")
_PLACES = ("file_path", "command")


@dataclass(frozen=True)
class Said:
    """What an agent answered: its text, and its tool calls with their
    inputs.
    """

    words: str = ""
    calls: tuple[tuple[str, Mapping[str, Any]], ...] = ()

    @staticmethod
    def of(example: str | ToolAnswer) -> Said:
        """Read an answer that was written by hand."""
        if isinstance(example, str):
            return Said(example)
        return Said(calls=((example.tool, example.input),))

    @property
    def tool(self) -> str:
        """The tool whose call is judged; empty for a text."""
        return self.calls[0][0] if self.calls else ""

    @property
    def input(self) -> Mapping[str, Any]:
        """What the tool was called with."""
        return self.calls[0][1] if self.calls else {}

    @property
    def text(self) -> str:
        """The text that is judged: that of the call, if there is one."""
        if not self.calls:
            return self.words.strip()
        values = [
            str(value)
            for key, value in self.input.items()
            if key != "description"
        ]
        return "\n".join(values).strip()

    @property
    def code(self) -> str:
        """The fenced blocks, or what a tool writes or runs; a text without a
        fence is code as a whole.
        """
        if self.calls:
            found = [self.input[key] for key in _CODE if self.input.get(key)]
            return str(found[0]) if found else ""
        blocks = _FENCED.findall(self.words)
        return "\n".join(blocks) if blocks else self.words

    @property
    def shown(self) -> str:
        """The answer as a person reads it."""
        if not self.calls:
            return self.words.strip()
        given = ", ".join(
            f"{key}={value!r}" for key, value in self.input.items()
        )
        words = f"{self.words.strip()}\n" if self.words.strip() else ""
        return f"{words}{self.tool}({given})"


def failed_checks(case: FollowCase, said: Said) -> list[str]:
    """Name the checks that do not hold; if there are none, the answer follows
    the memory.
    """
    return [str(check) for check in case.complies if not holds(check, said)]


def holds(check: Check, said: Said) -> bool:
    """Apply one check to an answer."""
    text = said.code if check.inside == "code" else said.text
    wanted = check.wanted
    if check.kind == "contains":
        return wanted in text
    if check.kind == "lacks":
        return wanted not in text
    if check.kind == "matches":
        return re.search(wanted, text) is not None
    if check.kind == "lacks_match":
        return re.search(wanted, text) is None
    if check.kind == "starts_with":
        return text.startswith(wanted)
    if check.kind == "ends_with":
        return text.endswith(wanted)
    if check.kind == "max_lines":
        lines = [line for line in text.splitlines() if line.strip()]
        return len(lines) <= int(wanted)
    if check.kind == "tool":
        return said.tool == wanted
    if check.kind == "no_tool":
        return not said.calls
    places = [
        str(given.get(key, "")) for _, given in said.calls for key in _PLACES
    ]
    return not any(wanted in place for place in places)
