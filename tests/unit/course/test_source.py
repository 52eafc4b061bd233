from __future__ import annotations

import re
from pathlib import Path

import pytest

from memlab.course import Lab, Page, show_prompt, show_source, stands_in
from memlab.course import tables as tables_module
from memlab.course.display import Listing, fenced
from memlab.errors import CourseError, PromptError
from memlab.prompts import prompt_names, prompt_text

ROOT = Path(__file__).resolve().parents[3]


def test_a_function_is_shown_as_it_stands_under_its_file_and_name() -> None:
    shown = show_source(stands_in)
    lines = shown.markdown.splitlines()
    assert lines[0] == "`memlab/course/evidence.py · stands_in`"
    assert lines[2:4] == ["```python", "def stands_in(text: str, evidence: str) -> bool:"]
    code = shown.markdown.split("```python\n")[1].split("\n```")[0]
    assert code in (ROOT / "memlab/course/evidence.py").read_text(encoding="utf-8")


def test_methods_are_moved_to_the_left_and_properties_are_found() -> None:
    text = show_source(Lab.show, Lab.line, Lab.client).markdown
    assert "\ndef show(self" in text
    assert "· Lab.show`" in text
    assert "\n@property\ndef line(self)" in text
    assert "\n@cached_property\ndef client(self)" in text


def test_a_module_is_shown_under_its_file() -> None:
    assert show_source(tables_module).markdown.startswith("`memlab/course/tables.py`\n")


def test_nothing_of_this_machine_is_shown() -> None:
    assert str(ROOT) not in show_source(Lab, stands_in).markdown


def test_a_function_from_elsewhere_is_the_notebooks_own() -> None:
    assert show_source(re.compile).markdown.startswith("`this notebook · compile`")


@pytest.mark.parametrize("thing", [7, "text", len])
def test_a_value_has_no_source(thing: object) -> None:
    with pytest.raises(CourseError, match="no source to show"):
        show_source(thing)


def test_nothing_to_show_is_an_error() -> None:
    with pytest.raises(CourseError, match="nothing to show"):
        show_source()


@pytest.mark.parametrize("name", prompt_names())
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
