"""The formula for a notebook's minutes, on a notebook that can be counted by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from memlab.course.minutes import Part, read_notebook

STARTER = "def tail(row: list, start: int) -> list:\n    raise NotImplementedError\n\n\n"


def prose(text: str, *tags: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "source": text, "metadata": {"tags": list(tags)}}


def code(source: str, *outputs: dict[str, Any]) -> dict[str, Any]:
    return {"cell_type": "code", "source": source, "metadata": {}, "outputs": list(outputs)}


def printed(lines: int) -> dict[str, Any]:
    return {"output_type": "stream", "name": "stdout", "text": ["a line\n"] * lines}


def shown(**data: str) -> dict[str, Any]:
    forms = {name.replace("_", "/"): text for name, text in data.items()}
    return {"output_type": "display_data", "data": forms, "metadata": {}}


FOLDED = "<details><summary>All</summary>\n\n```python\na = 1\nb = 2\n```\n\n</details>"

CELLS = [
    prose("# The toy: 400 words\n\n" + "word " * 396),
    prose("## Step 1: a [link of five words](https://example.org/a/b) — <b>bold</b>"),
    code("import toy\n\n\ntoy.sail()", printed(3)),
    code("toy.log()", printed(500)),
    code("show_source(toy)", shown(text_markdown="`toy.py`\n\n```python\na = 1\n\nb = 2\n```")),
    code("toy.page()", shown(text_markdown=FOLDED)),
    prose("## Step 2\n\n```python\nnot_prose = True\n```"),
    code(f"{STARTER}check(tail)", shown(text_plain="○ todo", text_html="<p>todo</p>")),
    prose("## Quiz"),
    code("quiz(0)", printed(40)),
]


@pytest.fixture
def notebook(toy: Path) -> Path:
    return toy / "notebooks" / "00_toy.ipynb"


def write(path: Path, cells: list[dict[str, Any]]) -> None:
    path.write_text(json.dumps({"cells": cells}), encoding="utf-8")


def test_everything_that_takes_time_is_counted(notebook: Path) -> None:
    write(notebook, CELLS)
    found = read_notebook(notebook).whole
    assert found == Part(
        words=400 + 8 + 2 + 1,
        code_lines=2 + 1 + 1 + 2 + 1 + 1,
        output_lines=3 + 30 + 1 + 1 + 1,
        gap_minutes=(5,),
        questions=2,
    )
    assert found.prose == pytest.approx(411 / 200)
    assert found.code == pytest.approx((8 * 4 + 36 * 2) / 60)
    assert (found.gaps, found.quiz) == (5, 1)
    assert found.total == found.prose + found.code + 5 + 1
    assert found.stated == 10


def test_the_bonus_is_no_part_of_the_minutes(toy: Path, notebook: Path) -> None:
    prompt = toy / "data/exercises/00/tail/prompt.md"
    prompt.write_text(prompt.read_text().replace("stars: 1\n", "stars: 1\nbonus: yes\n"))
    write(notebook, CELLS)
    found = read_notebook(notebook)
    assert (found.whole.gap_minutes, found.bonus) == ((), 5)
    assert found.whole.code_lines == 8, "its starter is not read either"


def test_the_second_half_begins_at_its_tag_or_at_the_step_nearest_to_the_middle(
    notebook: Path,
) -> None:
    write(notebook, CELLS)
    found = read_notebook(notebook)
    assert found.second_begins == "## Step 2"
    assert found.first + found.second == found.whole
    assert found.second.gap_minutes == (5,)
    write(notebook, [*CELLS[:-2], prose("## Quiz", "half"), CELLS[-1]])
    found = read_notebook(notebook)
    assert found.second_begins == "## Quiz"
    assert found.second == Part(words=1, questions=2)
    write(notebook, CELLS[:1])
    assert read_notebook(notebook).second == Part()
