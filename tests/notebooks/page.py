"""The course's notebooks, and one as the rules see it: cells, sections, and the text of outputs."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memlab.errors import CourseError

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = ROOT / "notebooks"


@dataclass(frozen=True)
class Cell:
    """One cell; ``number`` counts all cells from 1."""

    number: int
    kind: str
    source: str
    outputs: Sequence[dict[str, Any]]
    count: int | None

    def texts(self) -> Iterator[tuple[str, str]]:
        """Yield kind and text of everything in the outputs."""
        for output in self.outputs:
            if output["output_type"] in ("stream", "error"):
                yield output.get("name", "error"), joined(output.get("text", ""))
            for kind, value in output.get("data", {}).items():
                yield kind, joined(value)


@dataclass(frozen=True)
class Page:
    """One notebook; ``number`` is the two digits its name begins with."""

    path: Path
    cells: Sequence[Cell]

    @property
    def number(self) -> str:
        return self.path.name[:2]

    @property
    def code(self) -> list[Cell]:
        return [cell for cell in self.cells if cell.kind == "code"]

    @property
    def prose(self) -> str:
        """What is written, without blocks of code."""
        text = "\n\n".join(cell.source for cell in self.cells if cell.kind != "code")
        return re.sub(r"(?ms)^\s*(```|~~~).*?^\s*\1$", "", text)

    def headings(self) -> list[str]:
        """Return the lines that are headings, marks included."""
        return re.findall(r"(?m)^#{1,6} .*", self.prose)

    def points(self, label: str) -> int:
        """Count the list items below a heading or bold label."""
        section = rf"(?ims)^(?:#+ |\*\*){label}\b.*?(?=^#+ |^\*\*|\Z)"
        found = re.search(section, self.prose)
        return len(re.findall(r"(?m)^(?:[-*+]|\d+[.)])\s+\S", found[0])) if found else 0


def find_notebooks(numbers: Sequence[str] = ()) -> list[Path]:
    """Return the course's notebooks in order, only ``numbers`` if there are any.

    Raises ``CourseError`` for a number that no notebook has.
    """
    paths = {path.name[:2]: path for path in sorted(NOTEBOOKS.glob("[0-9][0-9]_*.ipynb"))}
    wanted = sorted({number.zfill(2) for number in numbers} or {*paths})
    if unknown := {*wanted} - {*paths}:
        raise CourseError(f"no notebook has the number {', '.join(sorted(unknown))}")
    return [paths[number] for number in wanted]


def read_page(path: Path) -> Page:
    """Read the notebook at ``path``."""
    cells = []
    for number, cell in enumerate(json.loads(path.read_text("utf-8"))["cells"], start=1):
        shown, count = cell.get("outputs", ()), cell.get("execution_count")
        cells.append(Cell(number, cell["cell_type"], joined(cell["source"]), shown, count))
    return Page(path, cells)


def joined(value: Any) -> str:
    """Return a text that a notebook's file may have as a list of lines, or as data."""
    if isinstance(value, list):
        return "".join(value)
    return value if isinstance(value, str) else json.dumps(value)
