"""Which parts of a notebook's text cells are on the short path, and where its marks are."""

from __future__ import annotations

from typing import Any

from memlab.short_path import short_path, split_at_headings, with_marks


def text(source: str, *, core: bool = True) -> dict[str, Any]:
    return {"cell_type": "markdown", "source": source, "metadata": tags(core)}


def code(source: str, *, core: bool = True) -> dict[str, Any]:
    return {"cell_type": "code", "source": [source], "outputs": [], "metadata": tags(core)}


def tags(core: bool) -> dict[str, Any]:
    return {"tags": ["core"]} if core else {}


CELLS = [
    text("# Boats\n\nA title."),
    code("begin(1)"),
    text("Ready.\n\n## Step 1: look\n\nLook.\n\n### Compare\n\nOurs:"),
    code("show_source(look)", core=False),
    text("Line 3 looks.\n\n## Step 2: row\n\n### Your turn\n\nWrite it."),
    code("row = ..."),
    text("You rowed. This is ours:\n\n```\n## no heading\n```\n\nHere it is:"),
    code("show_source(row)", core=False),
    text("It rows. On we go:"),
    code("go()"),
    text("Never seen.", core=False),
]


def test_a_text_that_joins_two_steps_is_cut() -> None:
    assert ["".join(cell["source"]) for cell in short_path(CELLS)] == [
        "# Boats\n\nA title.",
        "begin(1)",
        "Ready.\n\n## Step 1: look\n\nLook.",
        "## Step 2: row\n\n### Your turn\n\nWrite it.",
        "row = ...",
        "You rowed. This is ours:\n\n```\n## no heading\n```",
        "It rows. On we go:",
        "go()",
    ]


def test_the_marks_say_where_the_path_goes_on_and_are_written_once() -> None:
    marked = with_marks(CELLS)
    assert marked[2] == "Ready.\n\n## Step 1: look ◆\n\nLook.\n\n### Compare\n\nOurs:"
    assert marked[4].splitlines()[2:5] == ["## Step 2: row ◆", "", "### Your turn ◆"]
    assert marked[8] == "◆ It rows. On we go:"
    assert marked[0] == CELLS[0]["source"]
    again = [{**cell, "source": source} for cell, source in zip(CELLS, marked, strict=True)]
    assert with_marks(again) == marked


def test_marks_go_when_the_tags_do() -> None:
    marked = with_marks(CELLS)
    untagged = [
        {**cell, "source": source, "metadata": {}}
        for cell, source in zip(CELLS, marked, strict=True)
    ]
    assert "◆" not in "".join(with_marks(untagged))


def test_a_text_is_the_sum_of_its_parts() -> None:
    for cell in CELLS:
        source = "".join(cell["source"])
        assert "".join(split_at_headings(source)) == source
