"""What the pages beside the notebooks say of the notebooks is what is in the notebooks."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from tests.notebooks.page import read_page
from tests.notebooks.store import NOTEBOOKS, find_notebooks

TEACHING = NOTEBOOKS / "teaching"
TOP = [NOTEBOOKS.parent / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")]
PAGES = sorted([*TOP, *NOTEBOOKS.glob("*.md"), *TEACHING.glob("*.md")])
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_FIGURE = re.compile(r"(?<![\w.,])\d+[.,]\d+|\d+ of \d+(?! files)")
_MINUTES = re.compile(r"\]\((?:notebooks/)?(\d\d)_\w+\.ipynb\).*\| (\d+) \|$", re.MULTILINE)


@cache
def everything_in(notebook: str) -> str:
    """Return the text, the code and the stored outputs of a notebook."""
    (path,) = find_notebooks([notebook])
    return "\n".join(
        "\n".join([cell.source, *(text for _, text in cell.texts())])
        for cell in read_page(path).cells
    )


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    shown = re.sub(r"(?ms)^(`{3,}).*?^\1", "", page.read_text(encoding="utf-8"))
    for link in _LINK.findall(shown):
        if "://" in link:
            continue
        file, _, heading = link.partition("#")
        target = (page.parent / file).resolve() if file else page
        assert target.exists(), link
        if heading:
            titles = re.findall(r"^#+ (.*)$", target.read_text(encoding="utf-8"), re.MULTILINE)
            assert heading in {re.sub(r"[^\w -]", "", t).lower().replace(" ", "-") for t in titles}


def test_both_tables_give_the_minutes_of_the_opening_cells() -> None:
    for page in (NOTEBOOKS.parent / "README.md", NOTEBOOKS / "README.md"):
        rows = dict(_MINUTES.findall(page.read_text(encoding="utf-8")))
        assert list(rows) == [path.name[:2] for path in find_notebooks()]
        for number, minutes in rows.items():
            assert f"about {minutes} minutes (an estimate)" in everything_in(number), number


def test_a_word_of_the_glossary_is_in_the_notebook_that_explains_it() -> None:
    page = (NOTEBOOKS / "glossary.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (.+?) \| .+ \| (\d\d) \|$", page, re.MULTILINE)
    assert len(rows) > 100
    assert rows == sorted(rows, key=lambda row: row[0].casefold())
    for words, notebook in rows:
        for word in re.sub(r" \(.*\)", "", words).split(", "):
            assert word.casefold() in everything_in(notebook).casefold(), (word, notebook)


def test_an_answer_for_teachers_names_figures_that_are_in_the_notebooks_it_refers_to() -> None:
    page = (TEACHING / "day.md").read_text(encoding="utf-8")
    answers = [text for text in page.split("\n\n") if "*See " in text]
    assert len(answers) > 10
    for answer in answers:
        _, _, said = answer.split("**", 2)
        said, see = said.rsplit("*See ", 1)
        seen = "".join(everything_in(number) for number in re.findall(r"\b\d\d\b", see))
        for figure in _FIGURE.findall(said):
            assert figure in seen, (figure, answer)


def test_each_notebook_is_in_the_table_for_teachers() -> None:
    page = (TEACHING / "day.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\d\d) \|", page, re.MULTILINE)
    assert rows == [path.name[:2] for path in find_notebooks()]
