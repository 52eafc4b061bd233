"""``python -m tests.notebooks.marks``: mark the short path of every notebook.

A mark is derived from the tags ``core``: it is at the end of each heading below which the short
path goes on, and at the beginning of a text with which it goes on elsewhere. The opener says what
the mark means, and how many minutes the short path takes.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

from memlab.course.minutes import read_notebook
from memlab.short_path import MARK, source_of, with_marks
from tests.notebooks.store import find_notebooks, read, render, replace_file

EXPLAINED = re.compile(rf"\n*^The short path is marked {MARK}.*$", re.MULTILINE)
ESTIMATE = "(an estimate)"


def explanation(minutes: int) -> str:
    """Return the paragraph of the opener."""
    return f"The short path is marked {MARK} and takes about {minutes} minutes."


def marked(path: Path) -> list[str]:
    """Return the sources of a notebook's cells as they should be."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    sources = with_marks(cells)
    wanted = explanation(read_notebook(path).short.stated)
    for number, source in enumerate(sources):
        if cells[number]["cell_type"] == "markdown" and ESTIMATE in source:
            paragraphs = EXPLAINED.sub("", source).split("\n\n")
            place = [ESTIMATE in paragraph for paragraph in paragraphs].index(True)
            paragraphs.insert(place + 1, wanted)
            sources[number] = "\n\n".join(paragraphs)
            break
    return sources


def mark(path: Path) -> bool:
    """Write the marks; tells whether anything had to be changed."""
    notebook = read(path)
    sources = marked(path)
    if sources == [source_of(cell) for cell in notebook.cells]:
        return False
    for cell, source in zip(notebook.cells, sources, strict=True):
        cell.source = source
    replace_file(path, render(notebook))
    return True


def main() -> int:
    """Mark every notebook, and name those that have changed."""
    for path in find_notebooks([]):
        if mark(path):
            print(f"{path.name}: marked")
    return 0


if __name__ == "__main__":
    sys.exit(main())
