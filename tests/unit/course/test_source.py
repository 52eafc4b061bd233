from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from memlab.course import Lab, Page, contains_evidence, my, show_prompt, show_source
from memlab.course import display as display_module
from memlab.course.display import Listing, fenced
from memlab.errors import CourseError, PromptError
from memlab.memdir import scan
from memlab.prompts import PURPOSES, prompt_text

ROOT = Path(__file__).resolve().parents[3]


def test_a_function_is_shown_as_it_stands_under_its_file_and_name() -> None:
    shown = show_source(contains_evidence)
    lines = shown.markdown.splitlines()
    assert lines[0] == "`memlab/course/story.py · contains_evidence`"
    assert lines[2:4] == [
        "```python",
        " 1  def contains_evidence(text: str, evidence: str) -> bool:",
    ]
    code = lines[3:-1]
    assert [int(line[:2]) for line in code] == list(range(1, len(code) + 1))
    plain = "\n".join(line[4:] for line in code)
    assert plain in (ROOT / "memlab/course/story.py").read_text(encoding="utf-8")


def test_some_lines_of_a_function_keep_their_numbers() -> None:
    whole = show_source(contains_evidence).markdown.splitlines()
    part = show_source(contains_evidence, lines=(2, 4)).markdown.splitlines()
    assert part[0] == f"{whole[0]}, lines 2 to 4"
    assert part[2:] == [whole[2], *whole[4:7], "```"]


def test_methods_are_moved_to_the_left_and_properties_are_found() -> None:
    text = show_source(Lab.show, Lab.summary, Lab.client).markdown
    assert "\n1  def show(self" in text
    assert "· Lab.show`" in text
    assert "\n 1  @property\n 2  def summary(self)" in text
    assert "\n1  @cached_property\n2  def client(self)" in text


def test_a_module_is_shown_under_its_file() -> None:
    assert show_source(display_module).markdown.startswith("`memlab/course/display.py`\n")


def test_nothing_of_this_machine_is_shown() -> None:
    assert str(ROOT) not in show_source(Lab, contains_evidence).markdown


def test_a_function_from_elsewhere_is_the_notebooks_own() -> None:
    assert show_source(re.compile).markdown.startswith("`this notebook · compile`")


@pytest.mark.parametrize(
    ("things", "problem"),
    [((), "nothing to show"), *(((value,), "no source to show") for value in (7, "text", len))],
)
def test_what_has_no_source_is_an_error(things: tuple[Any, ...], problem: str) -> None:
    with pytest.raises(CourseError, match=problem):
        show_source(*things)


@pytest.mark.parametrize("name", list(PURPOSES))
def test_a_prompt_is_shown_word_for_word(name: str) -> None:
    shown = show_prompt(name).markdown
    assert shown.startswith(f"`memlab/prompts/{name}.md`")
    assert prompt_text(name) in shown


def test_a_prompt_that_is_not_there_is_told() -> None:
    with pytest.raises(PromptError, match="no such prompt"):
        show_prompt("none")


def test_a_fence_is_longer_than_any_inside_it() -> None:
    inner = "```python\nx\n```"
    assert fenced(inner) == f"````\n{inner}\n````"
    assert fenced("a `b` c").startswith("```\n")


def test_a_page_prints_its_text_and_names_itself_shortly() -> None:
    page = Page("title", "**text**")
    assert (str(page), repr(page)) == ("**text**", "<page: title>")
    assert page._repr_markdown_() == "**text**"


def test_a_listing_is_shown_as_lines() -> None:
    assert repr(Listing("a\nb")) == "a\nb"


def test_what_a_learners_part_replaces_is_shown_as_memlab_has_it() -> None:
    shown = show_source(scan.manifest_line).markdown
    with my.completed(manifest_line=lambda header: "mine"):
        assert hasattr(scan.manifest_line, "__wrapped__")
        assert show_source(scan.manifest_line).markdown == shown
