"""What the pages beside the notebooks say of the notebooks is what is in the notebooks."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from tests.notebooks.page import read_page
from tests.notebooks.store import NOTEBOOKS, ROOT, find_notebooks

TEACHING = NOTEBOOKS / "teaching"
TOP = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")]
PAGES = sorted([*TOP, *NOTEBOOKS.glob("*.md"), *TEACHING.glob("*.md")])
NUMBERS = [path.name[:2] for path in find_notebooks()]
DAY = (TEACHING / "day.md").read_text("utf-8")
_FIGURE = re.compile(r"(?<![\w.,])\d+[.,]\d+|\d+ of \d+(?! files)")
_MINUTES = re.compile(r"\]\((?:notebooks/)?(\d\d)_\w+\.ipynb\).*\| (\d+) \|$", re.MULTILINE)


@cache
def everything_in(notebook: str) -> str:
    """Return the text, the code and the stored outputs of a notebook."""
    (path,) = find_notebooks([notebook])
    cells = read_page(path).cells
    return "\n".join(text for c in cells for text in (c.source, *(shown for _, shown in c.texts())))


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    shown = re.sub(r"(?ms)^(`{3,}).*?^\1", "", page.read_text("utf-8"))
    for link in re.findall(r"\]\(([^)\s:]+)\)", shown):
        file, _, heading = link.partition("#")
        target = (page.parent / file).resolve() if file else page
        assert target.exists(), link
        if heading:
            titles = re.findall(r"^#+ (.*)$", target.read_text("utf-8").lower(), re.MULTILINE)
            assert heading in {re.sub(r"[^\w -]", "", t).replace(" ", "-") for t in titles}, link


def test_the_tables_name_all_notebooks_with_the_minutes_of_the_opening_cells() -> None:
    for page in (ROOT / "README.md", NOTEBOOKS / "README.md"):
        rows = dict(_MINUTES.findall(page.read_text("utf-8")))
        assert list(rows) == NUMBERS
        for number, minutes in rows.items():
            assert f"about {minutes} minutes (an estimate)" in everything_in(number), number
    assert re.findall(r"^\| (\d\d) \|", DAY, re.MULTILINE) == NUMBERS


def test_a_word_of_the_glossary_is_in_the_notebook_that_explains_it() -> None:
    page = (NOTEBOOKS / "glossary.md").read_text("utf-8")
    rows = re.findall(r"^\| (.+?) \| .+ \| (\d\d) \|$", page, re.MULTILINE)
    assert len(rows) > 100
    assert rows == sorted(rows, key=lambda row: row[0].casefold())
    for words, notebook in rows:
        for word in re.sub(r" \(.*\)", "", words).split(", "):
            assert word.casefold() in everything_in(notebook).casefold(), (word, notebook)


def test_an_answer_for_teachers_names_figures_that_are_in_the_notebooks_it_refers_to() -> None:
    answers = [text for text in DAY.split("\n\n") if "*See " in text]
    assert len(answers) > 10
    for answer in answers:
        said, see = answer.split("**", 2)[2].rsplit("*See ", 1)
        seen = "".join(everything_in(number) for number in re.findall(r"\b\d\d\b", see))
        assert [figure for figure in _FIGURE.findall(said) if figure not in seen] == [], answer
