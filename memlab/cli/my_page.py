"""``my/README.md``: the learner's own first page, written again each time.

It links to the notebooks and says which were opened, and it explains the words
of the course. ``progress`` keeps its counts in ``my/.progress.json``; without
that file, the page shows none.
"""

from __future__ import annotations

import json
import os
from pathlib import PurePosixPath

from memlab.cli.setup.clone import Clone
from memlab.cli.setup.console import COMMAND

PAGE = "README.md"
PROGRESS = ".progress.json"
_MARK = "<!-- memlab writes this page again at each start -->"


def write_page(clone: Clone, names: list[str], opened: set[str]) -> None:
    """Write the page for notebooks of these names; a page that the learner
    wrote is left alone.
    """
    path = clone.my / PAGE
    if path.exists() and _MARK not in path.read_text("utf-8", "replace"):
        return
    text = _page(clone, names, opened)
    half = clone.my / f".{PAGE}.new"
    half.write_text(text, "utf-8")
    os.replace(half, path)


def _page(clone: Clone, names: list[str], opened: set[str]) -> str:
    counts = _counts(clone)
    rows = [
        f"| [{_title(name)}]({name})"
        f" | {'opened' if name in opened else 'new'}"
        f" | {counts.get(name[:2], '')} |"
        for name in names
        if name[:2].isdigit()
    ]
    glossary = clone.notebooks / "glossary.md"
    words = glossary.read_text("utf-8") if glossary.is_file() else ""
    return "\n".join(
        [
            _MARK,
            "",
            "# How a coding agent remembers",
            "",
            "Click a notebook to open it. **Shift+Enter** runs a cell and goes"
            " to the next one.",
            "",
            "| notebook | | your parts |",
            "| :--- | :--- | ---: |",
            *rows,
            "",
            "You can change your copies as you like. To start one over, type"
            f" `{COMMAND} reset 03` in a terminal; your version is kept in"
            " `.replaced`.",
            "",
            "`memory.py` contains your parts that have passed. `minutes.json`"
            " records how many minutes each notebook and each gap took you,"
            " without long pauses, and nothing else. It stays on this"
            f" machine, and `{COMMAND} progress` shows it next to the"
            " estimate.",
            "",
            words.replace("# Glossary", "## Glossary", 1),
        ]
    )


def _title(name: str) -> str:
    stem = PurePosixPath(name).stem
    return f"{stem[:2]} {stem[3:].replace('_', ' ')}"


def _counts(clone: Clone) -> dict[str, str]:
    """Read how many parts of each notebook have passed, such as "2 of 4"."""
    try:
        found = json.loads((clone.my / PROGRESS).read_text("utf-8"))
        return {
            str(number): f"{int(passed)} of {int(of)}"
            for number, (passed, of) in found.items()
        }
    except (OSError, ValueError, TypeError, AttributeError):
        return {}
