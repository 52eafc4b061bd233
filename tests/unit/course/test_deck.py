"""Slides from the short path: what is in the page, and what is not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from memlab.course import deck
from tests.unit.course.toy import write_toy

CORE = {"tags": ["core"]}
NAV = "[next](01_two.ipynb) → · [Stuck?](stuck.md)"
OUTPUTS: list[dict[str, Any]] = [
    {"output_type": "stream", "text": ["\x1b[31m<b>6</b>\x1b[0m\n", "7\n"]},
    {"output_type": "display_data", "data": {"text/html": "<i>w</i>", "text/plain": "a widget"}},
    {"output_type": "display_data", "data": {"image/svg+xml": "<svg/>", "text/plain": "a boat"}},
]
CELLS = [
    {"cell_type": "markdown", "metadata": CORE, "source": f"# Boats <b>\n\nHello.\n\n{NAV}"},
    {
        "cell_type": "markdown",
        "metadata": CORE,
        "source": "## Row ◆\n\n![a map](images/map.svg)\n\n[a page](page.md), [web](https://x.org)",
    },
    {"cell_type": "code", "metadata": CORE, "source": 'x = """\na < b\n"""', "outputs": OUTPUTS},
    {"cell_type": "code", "metadata": {}, "source": "left_out()", "outputs": []},
    {
        "cell_type": "code",
        "metadata": CORE,
        "source": "def tail():\n    ...\n\ncheck(tail)",
        "outputs": [{"output_type": "stream", "text": "○ todo"}],
    },
]


@pytest.fixture
def course(toy: Path) -> Path:
    write_toy(toy)
    notebooks = toy / "notebooks"
    (notebooks / "00_toy.ipynb").write_text(json.dumps({"cells": CELLS}), "utf-8")
    (notebooks / "images").mkdir(exist_ok=True)
    (notebooks / "images" / "map.svg").write_text("<svg/>", "utf-8")
    return toy


def test_the_page_is_alone_and_shows_the_short_path_only(course: Path, tmp_path: Path) -> None:
    assert deck.main([str(tmp_path / "out"), "0"]) == 0
    page = (tmp_path / "out" / "00_toy.html").read_text("utf-8")
    assert "Boats &lt;b&gt;" in page
    assert "<h2>Row</h2>" in page
    assert page.count("data:image/svg+xml") == 2
    assert 'alt="a map"' in page
    assert 'href="https://x.org"' in page
    assert "a page, " in page
    assert "&lt;b&gt;6&lt;/b&gt;" in page
    assert "a widget" in page
    for absent in ("left_out", "todo", "\x1b", "stuck.md", "<i>w", "01_two", "{{", 'src="http'):
        assert absent not in page
    kinds = [part.split('"')[0] for part in page.split('<section data-kind="')[1:]]
    assert kinds == ["heading", "text", "heading", "text", "text", "code", *["output"] * 3, "code"]


def test_each_line_of_code_has_the_tags_it_needs(course: Path) -> None:
    page = deck.make_deck(course / "notebooks" / "00_toy.ipynb")
    code = page.split('data-kind="code">')[1].split("</section>")[0]
    for line in code.removeprefix("<pre>").split("\n</span>")[:-1]:
        assert line.count("<span") == line.count("</span>") + 1


def test_only_slides_are_replaced_and_mistakes_are_said(
    course: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert deck.main([str(tmp_path), "0"]) == deck.main([str(tmp_path), "0"]) == 0
    (tmp_path / "00_toy.html").write_text("my own page", "utf-8")
    assert deck.main([str(tmp_path), "0"]) == 2
    assert (tmp_path / "00_toy.html").read_text("utf-8") == "my own page"
    for wrong in ("x", "77"):
        assert deck.main([str(tmp_path), wrong]) == 2
        assert f"there is no notebook {wrong}" in capsys.readouterr().err
    (tmp_path / "file").touch()
    assert deck.main([str(tmp_path / "file"), "0"]) == 2
    assert "cannot be written" in capsys.readouterr().err
