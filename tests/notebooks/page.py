"""A notebook as the rules see it: cells, sections, and the text of outputs.

Left out: the rules, and running anything.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HEADING = re.compile(r"^#{1,6}\s+(.*)")
_BOLD_LABEL = re.compile(r"^\*\*(.+?)\*\*")
_BULLET = re.compile(r"^(?:[-*+]|\d+[.)])\s+\S")
_FENCE = re.compile(r"^\s*(```|~~~)")


@dataclass(frozen=True)
class Cell:
    """One cell; ``number`` counts all cells from 1."""

    number: int
    kind: str
    source: str
    outputs: tuple[dict[str, Any], ...] = ()
    count: int | None = None
    tags: tuple[str, ...] = ()
    id: str = ""

    @property
    def is_code(self) -> bool:
        """Whether it is run."""
        return self.kind == "code"

    def texts(self) -> Iterator[tuple[str, str]]:
        """Yield kind and text of everything in the outputs that is text."""
        for output in self.outputs:
            if output["output_type"] == "stream":
                yield output["name"], _joined(output["text"])
            elif output["output_type"] == "error":
                yield "error", "\n".join([output["ename"], output["evalue"], *output["traceback"]])
            for kind, value in output.get("data", {}).items():
                if kind.startswith("text/") or kind == "image/svg+xml":
                    yield kind, _joined(value)
                elif kind.endswith("json"):
                    yield kind, json.dumps(value)

    def kinds(self) -> set[str]:
        """Return the kinds of everything shown, pictures included."""
        return {kind for output in self.outputs for kind in output.get("data", {})}


@dataclass(frozen=True)
class Page:
    """One notebook."""

    path: Path
    cells: tuple[Cell, ...]

    @property
    def number(self) -> str:
        """The two digits its name begins with."""
        return self.path.name[:2]

    @property
    def is_first(self) -> bool:
        """Whether it is notebook 00, which has no system to look into yet."""
        return self.number == "00"

    @property
    def code(self) -> list[Cell]:
        """The cells that are run."""
        return [cell for cell in self.cells if cell.is_code]

    @property
    def prose(self) -> list[Cell]:
        """The cells that are read."""
        return [cell for cell in self.cells if not cell.is_code]

    def headings(self) -> list[str]:
        """Return the lines that are headings, marks included."""
        return [
            line
            for cell in self.prose
            for line, fenced in _fenced(cell.source)
            if not fenced and HEADING.match(line)
        ]

    def section(self, label: str) -> list[str] | None:
        """Return the lines after the heading or bold label that matches ``label``, to the next one.

        The label's own line comes first. ``None`` if there is no such label.
        """
        wanted = re.compile(label, re.IGNORECASE)
        found: list[str] | None = None
        for cell in self.prose:
            for line, fenced in _fenced(cell.source):
                head = None if fenced else HEADING.match(line) or _BOLD_LABEL.match(line)
                if head and found is not None:
                    return found
                if head and wanted.search(head.group(1)):
                    found = [line]
                elif found is not None:
                    found.append(line)
        return found


def bullets(lines: list[str]) -> int:
    """Count the list items that are not inside another item."""
    return sum(bool(_BULLET.match(line)) for line in lines)


def read_page(path: Path) -> Page:
    """Read the notebook at ``path``."""
    return parse_page(json.loads(path.read_text(encoding="utf-8")), path)


def parse_page(notebook: dict[str, Any], path: Path) -> Page:
    """Make a page of a notebook's parsed JSON."""
    cells = tuple(
        Cell(
            number=number,
            kind=cell["cell_type"],
            source=_joined(cell["source"]),
            outputs=tuple(cell.get("outputs", ())),
            count=cell.get("execution_count"),
            tags=tuple(cell.get("metadata", {}).get("tags", ())),
            id=cell.get("id", ""),
        )
        for number, cell in enumerate(notebook["cells"], start=1)
    )
    return Page(path, cells)


def _fenced(source: str) -> Iterator[tuple[str, bool]]:
    """Yield each line and whether it stands in a fenced block of code, fences included."""
    inside = False
    for line in source.splitlines():
        fence = bool(_FENCE.match(line))
        yield line, inside or fence
        inside ^= fence


def _joined(text: str | list[str]) -> str:
    return text if isinstance(text, str) else "".join(text)
