"""A notebook as the rules see it: cells, sections, and the text of outputs."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HEADING = re.compile(r"^#{1,6}\s+(.*)")
_LABEL = re.compile(r"^(?:#{1,6}\s+(.*)|\*\*(.+?)\*\*)")
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

    def texts(self) -> Iterator[tuple[str, str]]:
        """Yield kind and text of everything in the outputs that is text."""
        for output in self.outputs:
            if output["output_type"] == "stream":
                yield output["name"], joined(output["text"])
            elif output["output_type"] == "error":
                yield "error", "\n".join([output["ename"], output["evalue"], *output["traceback"]])
            for kind, value in output.get("data", {}).items():
                if kind.startswith("text/") or kind == "image/svg+xml":
                    yield kind, joined(value)
                elif kind.endswith("json"):
                    yield kind, json.dumps(value)

    def kinds(self) -> set[str]:
        """Return the kinds of everything shown, pictures included."""
        return {kind for output in self.outputs for kind in output.get("data", {})}


@dataclass(frozen=True)
class Page:
    """One notebook; ``number`` is the two digits its name begins with."""

    path: Path
    cells: tuple[Cell, ...]

    @property
    def number(self) -> str:
        return self.path.name[:2]

    @property
    def code(self) -> list[Cell]:
        return [cell for cell in self.cells if cell.kind == "code"]

    @property
    def prose(self) -> list[Cell]:
        return [cell for cell in self.cells if cell.kind != "code"]

    def lines(self) -> Iterator[tuple[str, bool]]:
        """Yield each line of prose, and whether it is in a fenced block of code."""
        for cell in self.prose:
            inside = False
            for line in cell.source.splitlines():
                fence = bool(_FENCE.match(line))
                yield line, inside or fence
                inside ^= fence

    def headings(self) -> list[str]:
        """Return the lines that are headings, marks included."""
        return [line for line, fenced in self.lines() if not fenced and HEADING.match(line)]

    def section(self, label: str) -> list[str] | None:
        """Return the lines from a heading or bold label to the next one; None if it is missing."""
        found: list[str] | None = None
        for line, fenced in self.lines():
            head = None if fenced else _LABEL.match(line)
            if head and found is not None:
                break
            if head and re.match(rf"{label}\b", head[1] or head[2], re.IGNORECASE):
                found = []
            if found is not None:
                found.append(line)
        return found

    def bullets(self, label: str) -> int:
        """Count the list items of a section that are not inside another item."""
        return sum(bool(_BULLET.match(line)) for line in self.section(label) or [])


def read_page(path: Path) -> Page:
    """Read the notebook at ``path``."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return Page(
        path,
        tuple(
            Cell(
                number,
                cell["cell_type"],
                joined(cell["source"]),
                tuple(cell.get("outputs", ())),
                cell.get("execution_count"),
                tuple(cell["metadata"].get("tags", ())),
            )
            for number, cell in enumerate(cells, start=1)
        ),
    )


def joined(text: Any) -> Any:
    """Return a text that a notebook's file may have as a list of lines."""
    return "".join(text) if isinstance(text, list) else text
