"""A made-up notebook that keeps every rule, to be broken in one place at a time.

Left out: running it; its outputs are written by hand.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.notebooks import store
from tests.notebooks.page import Page, read_page
from tests.notebooks.rules_exercises import Registered

Notebook = dict[str, Any]
Change = Callable[[Notebook], None]

NAME = "98_sort_the_boats.ipynb"
NUMBER = 98
EXERCISES = [
    Registered(
        "my_longest",
        "How long is the longest?",
        'def my_longest(boats):\n    """Return the longest boat."""',
        stars=3,
        minutes=15,
    ),
    Registered(
        "free_boats",
        "Which boats are free?",
        'def free_boats(boats):\n    """Return the boats nobody has."""',
        stars=1,
        minutes=5,
        bonus=True,
    ),
]
HEADINGS = {
    "my_longest": "### Your turn: `my_longest`  ★★★ · about 15 minutes",
    "free_boats": "### Bonus: `free_boats`  ★☆☆ · about 5 minutes",
}
PACKAGE_NAMES = frozenset({"sort_boats", "Boat", "free_boats"})

OPENING = [
    "# Sort the boats\n\nAfter this you can find any boat on the beach. · [Stuck?](stuck.md)",
    "**You will build** a list.\n\n**You will learn**\n- to sort\n- to search\n\n"
    "**You need** notebook 00 and about 5 minutes (an estimate).",
    "![The system, with the shed lit](map.svg)",
]
CLOSING = [
    "## When it breaks\n\nTwo boats have one name.",
    "## Measure\n\nHow long a search takes.",
    "> **In the real system** the boats stand in a table.",
    "## Exercises\n\nOne for the way home.",
    "## Quiz\n\nWhich boat comes first?",
    "## Recap\n- You sorted.\n- You searched.",
    "## New words\n\n**Hull**: the body of a boat.",
    "## Next\n\n[The map](map.svg) shows the way to [the recap](#Recap).",
]


def markdown(source: str) -> dict[str, Any]:
    """Make a cell of prose."""
    return {"cell_type": "markdown", "source": source, "metadata": {}}


def code(source: str, text: str = "", **data: str) -> dict[str, Any]:
    """Make a code cell that printed ``text`` and showed ``data``."""
    outputs: list[dict[str, Any]] = []
    if text:
        outputs.append(stream(text))
    if data:
        outputs.append(shown(**data))
    return {"cell_type": "code", "source": source, "metadata": {}, "outputs": outputs}


def stream(text: str, name: str = "stdout") -> dict[str, Any]:
    """Make the output of a print."""
    return {"output_type": "stream", "name": name, "text": text}


def shown(kind: str = "display_data", **data: str) -> dict[str, Any]:
    """Make an output with forms such as ``text_plain``."""
    forms = {form.replace("_", "/", 1): value for form, value in data.items()}
    return {"output_type": kind, "metadata": {}, "data": forms}


def good_notebook() -> Notebook:
    """Return a notebook that keeps every rule, fresh each time."""
    cells = [markdown(text) for text in OPENING]
    cells.append(code("from memlab.course import begin", ""))
    cells.append(code(f"lab = begin({NUMBER})", "ready"))
    cells.append(markdown("## Step 1: the first\n\nA sentence about boat 1."))
    cells.append(code("1 + 1", text_plain="2"))
    for step in range(2, 5):
        odd = code(f"def naive_sort_{step}(boats):\n    return boats")
        even = code(f"{step} + 1", text_plain=f"{step + 1}")
        cells.append(markdown(f"## Step {step}: one more\n\nA sentence about boat {step}."))
        cells.append(odd if step % 2 else even)
        cells.append(markdown("Look at what comes first."))
        cells.append(code(f"print('boat', {step})", f"boat {step}\n"))
    cells.append(code("figure", text_plain="<Figure size 1>", image_png="aGVsbG8="))
    cells.append(markdown("The same as numbers:"))
    cells.append(code("[1, 2]", text_plain="[1, 2]"))
    closing = [markdown(text) for text in CLOSING]
    for exercise in reversed(EXERCISES):
        check = code(f"check({exercise.name})", f"○ todo  {exercise.name} is not written yet\n")
        task = markdown(f"{HEADINGS[exercise.name]}\n\n{exercise.task}")
        closing[4:4] = [task, code(exercise.starter), check]
    cells += closing
    runs = [cell for cell in cells if cell["cell_type"] == "code"]
    for count, cell in enumerate(runs, start=1):
        cell["execution_count"] = count
    return {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}


def write_page(folder: Path, notebook: Notebook, name: str = NAME) -> Page:
    """Write a notebook and the map beside it, in normal form, and read it as a page."""
    path = folder / name
    path.write_text(json.dumps(notebook), encoding="utf-8")
    path.write_text(store.render(store.read(path)), encoding="utf-8")
    (folder / "map.svg").write_text("<svg/>", encoding="utf-8")
    (folder / "stuck.md").touch()
    return read_page(path)


def replaced(old: str, new: str) -> Change:
    """Change a text wherever it stands in the sources."""

    def change(notebook: Notebook) -> None:
        assert any(old in cell["source"] for cell in notebook["cells"]), old
        for cell in notebook["cells"]:
            cell["source"] = cell["source"].replace(old, new)

    return change


def appended(*cells: dict[str, Any]) -> Change:
    """Add cells at the end, counted on from the ones before."""

    def change(notebook: Notebook) -> None:
        count = sum(cell["cell_type"] == "code" for cell in notebook["cells"])
        for cell in cells:
            if cell["cell_type"] == "code":
                count += 1
                cell = {**cell, "execution_count": count}
            notebook["cells"].append(cell)

    return change


def dropped(start: str) -> Change:
    """Take out the cells that begin with ``start``."""

    def change(notebook: Notebook) -> None:
        kept = [cell for cell in notebook["cells"] if not cell["source"].startswith(start)]
        assert len(kept) < len(notebook["cells"]), start
        notebook["cells"] = kept

    return change
