"""What the pages beside the notebooks say of the notebooks is what is in the notebooks."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from tests.notebooks.page import NOTEBOOKS, ROOT, find_notebooks, read_page

TOP = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")]
PAGES = [*TOP, *NOTEBOOKS.glob("*.md"), *NOTEBOOKS.glob("teaching/*.md")]
DAY = (NOTEBOOKS / "teaching/day.md").read_text("utf-8")


@cache
def everything_in(notebook: str) -> str:
    """Return the text, the code and the stored outputs of a notebook."""
    (path,) = find_notebooks([notebook])
    cells = read_page(path).cells
    return "\n".join(text for c in cells for text in (c.source, *(shown for _, shown in c.texts())))


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    shown = re.sub(r"(?ms)^(`{3,}).*?^\1", "", page.read_text("utf-8"))
    for link in re.findall(r"\]\(([^)\s:#]+)[)#]", shown):
        assert (page.parent / link).exists(), link


def test_the_tables_name_all_notebooks_with_the_minutes_of_the_opening_cells() -> None:
    numbers = [path.name[:2] for path in find_notebooks()]
    for page in (ROOT / "README.md", NOTEBOOKS / "README.md"):
        row = r"(?m)\]\((?:notebooks/)?(\d\d)_\w+\.ipynb\).*\| (\d+) \|$"
        rows = dict(re.findall(row, page.read_text("utf-8")))
        assert list(rows) == numbers
        for number, minutes in rows.items():
            assert f"about {minutes} minutes (an estimate)" in everything_in(number), number
    assert re.findall(r"(?m)^\| (\d\d) \|", DAY) == numbers


def test_a_word_of_the_glossary_is_in_the_notebook_that_explains_it() -> None:
    page = (NOTEBOOKS / "glossary.md").read_text("utf-8")
    rows = re.findall(r"(?m)^\| (.+?) \| .+ \| (\d\d) \|$", page)
    assert len(rows) > 100
    assert rows == sorted(rows, key=lambda row: row[0].casefold())
    for words, notebook in rows:
        for word in re.sub(r" \(.*\)", "", words).split(", "):
            assert word.casefold() in everything_in(notebook).casefold(), (word, notebook)
