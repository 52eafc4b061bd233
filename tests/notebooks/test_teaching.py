"""What the pages for teachers say of the notebooks is what is in the notebooks."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from tests.notebooks.page import read_page
from tests.notebooks.store import NOTEBOOKS, find_notebooks

TEACHING = NOTEBOOKS / "teaching"
PAGES = sorted([*NOTEBOOKS.glob("*.md"), *TEACHING.glob("*.md")])
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_FIGURE = re.compile(r"(?<![\w.,])\d+[.,]\d+|\d+ of \d+(?! files)")


@cache
def everything_in(notebook: str) -> str:
    """Return the text, the code and the stored outputs of a notebook."""
    (path,) = find_notebooks([notebook])
    return "\n".join(
        "\n".join([cell.source, *(text for _, text in cell.texts())])
        for cell in read_page(path).cells
    )


def test_the_guide_quotes_what_the_notebooks_print() -> None:
    guide = (TEACHING / "ninety_minutes.md").read_text(encoding="utf-8")
    printed = (everything_in("00") + everything_in("11")).splitlines()
    quoted = [
        line
        for block in re.findall(r"```text\n(.*?)```", guide, re.DOTALL)
        for line in block.splitlines()
    ]
    assert len(quoted) > 20
    assert [line for line in quoted if line not in printed] == []


def test_the_minutes_of_the_guide_are_those_of_its_agenda() -> None:
    guide = (TEACHING / "ninety_minutes.md").read_text(encoding="utf-8")
    parts = re.findall(r"^## (\d):(\d\d) .*\((\d+) minutes\)$", guide, re.MULTILINE)
    begins = [60 * int(hours) + int(minutes) for hours, minutes, _ in parts]
    ends = [begin + int(taken) for begin, (_, _, taken) in zip(begins, parts, strict=True)]
    assert begins == [0, *ends[:-1]]
    agenda = (TEACHING / "agendas.md").read_text(encoding="utf-8").split("\n## ")[1]
    for begin in re.findall(r"^\| (\d:\d\d) \|", agenda, re.MULTILINE)[:-1]:
        assert f"\n## {begin} " in guide, begin
    assert ends[-1] == 90


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    for link in _LINK.findall(page.read_text(encoding="utf-8")):
        if "://" in link:
            continue
        file, _, heading = link.partition("#")
        target = (page.parent / file).resolve() if file else page
        assert target.exists(), link
        if heading:
            titles = re.findall(r"^#+ (.*)$", target.read_text(encoding="utf-8"), re.MULTILINE)
            assert heading in {re.sub(r"[^\w -]", "", t).lower().replace(" ", "-") for t in titles}


def test_a_word_of_the_glossary_is_in_the_notebook_that_explains_it() -> None:
    page = (NOTEBOOKS / "glossary.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (.+?) \| .+ \| (\d\d) \|$", page, re.MULTILINE)
    assert len(rows) > 100
    assert rows == sorted(rows, key=lambda row: row[0].casefold())
    for words, notebook in rows:
        for word in re.sub(r" \(.*\)", "", words).split(", "):
            assert word.casefold() in everything_in(notebook).casefold(), (word, notebook)


def test_an_answer_names_figures_that_are_in_the_notebooks_it_refers_to() -> None:
    page = (TEACHING / "expected_questions.md").read_text(encoding="utf-8")
    answers = [text for text in page.split("\n\n") if text.startswith("**")]
    assert len(answers) > 15
    for answer in answers:
        _, _, said = answer.split("**", 2)
        said, see = said.rsplit("*See ", 1)
        seen = "".join(everything_in(number) for number in re.findall(r"\b\d\d\b", see))
        for figure in _FIGURE.findall(said):
            assert figure in seen, (figure, answer)


def test_each_notebook_has_notes_and_each_page_is_on_the_first_page() -> None:
    notes = (TEACHING / "notes.md").read_text(encoding="utf-8")
    titles = re.findall(r"^## (\d\d) ", notes, re.MULTILINE)
    assert titles == [path.name[:2] for path in find_notebooks()]
    for part in ("Timing", "People get wrong", "Draw", "Ask"):
        assert notes.count(f"- **{part}:**") == len(titles), part
    first_page = (NOTEBOOKS / "README.md").read_text(encoding="utf-8")
    for path in TEACHING.iterdir():
        assert f"](teaching/{path.name})" in first_page, path.name


def test_the_six_questions_have_answers() -> None:
    page = (TEACHING / "before_and_after.md").read_text(encoding="utf-8")
    before, after = page.split("## After")
    key = re.findall(r"^\| (before|after) \| (.+) \|$", after, re.MULTILINE)
    for text, (_, letters) in zip((before, after), key, strict=True):
        assert len(re.findall(r"^\d\. ", text, re.MULTILINE)) == 6
        assert len(re.findall(r"^   - \*\*[abc]\*\* ", text, re.MULTILINE)) == 18
        assert sorted(letters.split(" | ")) == sorted("aabbcc")
