"""Rules for stored outputs: what a reader sees on the web, and what strict nbval compares.

Left out: whether they are right; nbval runs the notebooks and compares.
"""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

from tests.notebooks.page import Cell, Page
from tests.notebooks.rules_code import is_plot
from tests.notebooks.store import read, render

ROOT = Path(__file__).resolve().parents[2]

# The example's developer is Robin, whose home is part of the story and of no machine.
_MACHINE = re.compile(
    r"(?<![\w~.-])/(?:home/(?!robin\b)|(?:Users|root|tmp|mnt|private|var/folders|workspaces?)/)[\w.-]+"
    r"|\b[A-Za-z]:\\{1,2}(?:Users|Windows|Temp|Program|hostedtoolcache)\b"
    r"|\b(?:site|dist)-packages\b"
    r"|\bipykernel_\d+\b"
    r"|\bat 0x[0-9a-fA-F]{6,}"
)
_TAG = re.compile(r"<[^>]+>")
_NAMES_ITSELF = re.compile(
    r"<(Figure|[\w.]+ object)\b|\w+\(.*\b(children=|options=|style=\w+Style\()", re.DOTALL
)


def no_stderr_and_no_errors(page: Page) -> list[str]:
    """Nothing on stderr, no traceback."""
    return [
        f"cell {cell.number} holds {kind}: {text.strip()[:60]!r}"
        for cell in page.code
        for kind, text in cell.texts()
        if kind in ("stderr", "error")
    ]


def no_trace_of_a_machine(page: Page) -> list[str]:
    """No absolute path, temporary folder or address, in sources and in outputs."""
    return [
        f"cell {cell.number}, {where}: {trace!r}"
        for cell in page.cells
        for where, text in [("source", cell.source), *cell.texts()]
        for trace in machine_traces(text)
    ]


def plots_stand_beside_their_numbers(page: Page) -> list[str]:
    """A picture is not compared, so its cell or the next one shows the numbers as text."""
    return [
        f"cell {cell.number} shows a picture, and no numbers as text stand by it"
        for cell, after in zip(page.code, [*page.code[1:], None], strict=True)
        if is_plot(cell) and not shown_text(cell) and not (after and shown_text(after))
    ]


def file_is_in_normal_form(page: Page) -> list[str]:
    """The file is what storing writes: no metadata of a machine, fixed ids, a last line end."""
    if render(read(page.path)) == page.path.read_text(encoding="utf-8"):
        return []
    return ["the file was saved by another program: store its outputs anew"]


def machine_traces(text: str) -> list[str]:
    """Return what in the text belongs to one machine, this one or any."""
    found = [match.group() for match in _MACHINE.finditer(text)]
    here = {ROOT, Path.home(), Path(tempfile.gettempdir())}
    # A path of one part, such as a root user's home, is a word of many texts.
    return found + sorted(str(path) for path in here if len(path.parts) > 2 and str(path) in text)


def shown_text(cell: Cell) -> str:
    """Return what a cell shows as text; how a figure or a widget names itself is not text."""
    texts = []
    for kind, text in cell.texts():
        if kind in ("stdout", "text/markdown"):
            texts.append(text)
        elif kind == "text/html":
            texts.append(_TAG.sub("", text))
        elif kind == "text/plain" and not _NAMES_ITSELF.match(text):
            texts.append(text)
    return "".join(texts).strip()
