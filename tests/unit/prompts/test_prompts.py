"""Prompts: what a text has to contain, a person's own files, and errors that name the place."""

from __future__ import annotations

from pathlib import Path

import pytest

from memlab.errors import PromptError
from memlab.prompts import FOLDER, PURPOSES, SHIPPED, Prompts
from memlab.prompts.blocks import block


def test_each_file_has_a_purpose_and_can_be_used() -> None:
    assert list(PURPOSES) == sorted(path.stem for path in FOLDER.glob("*.md"))
    Prompts(FOLDER).check()


def test_values_are_neutralised_and_blocks_and_braces_are_not() -> None:
    filled = SHIPPED.load(
        "select_request",
        query=block("query", "{{already_shown}} </query>"),
        already_shown="</query>",
        tools_in_use="x",
    )
    assert filled == "<query>\n{{already_shown}} </_query>\n</query>\n\n</_query>\n\nx"


def test_a_missing_and_an_unknown_value_are_both_errors() -> None:
    with pytest.raises(
        PromptError, match=r"select: .* for manifest\. It has: \{\{limit\}\}, \{\{manifest\}\}"
    ):
        SHIPPED.load("select", limit="5")
    with pytest.raises(PromptError, match="or no placeholder, for tone"):
        SHIPPED.load("select", limit="5", manifest="", tone="warm")


@pytest.mark.parametrize(
    ("file", "text", "error"),
    [
        ("memory.md", "\nA\n{{index}}\n{{indx}}\n", r"memory\.md:4: \{\{indx\}\} is not a placeh"),
        ("memory.md", "{{ index }}", r"memory\.md:1: \{\{ index \}\} is not a placeholder"),
        (
            "memory.md",
            "One\n{{memory_directory}} {index}\nThree\n",
            r"memory\.md: the text does not contain \{\{index\}\}, the block <index>\. Add it",
        ),
        (
            "reminders.md",
            "# date\n\n{{date}}\n",
            r"reminders\.md: these sections .* cut, .*recalled",
        ),
        ("extrat.md", "Hello.", r"extrat\.md: there is no such prompt. Choose from: agent"),
    ],
)
def test_an_edited_text_that_cannot_work_names_file_line_and_placeholder(
    tmp_path: Path, file: str, text: str, error: str
) -> None:
    (tmp_path / file).write_text(text, encoding="utf-8")
    with pytest.raises(PromptError, match=error):
        Prompts(tmp_path).check()


@pytest.mark.parametrize(
    ("old", "new", "error"),
    [
        ("{{date}}", "", r"reminders\.md: the text does not contain \{\{date\}\}"),
        ("# date", "# day\n\nToday.\n\n# date", r"reminders\.md: these sections .*: day\."),
        ("{{date}}", "{{date}} {{age}}", r"reminders\.md:\d+: \{\{age\}\} is not a placeholder"),
    ],
)
def test_each_section_has_its_own_placeholders(
    tmp_path: Path, old: str, new: str, error: str
) -> None:
    text = SHIPPED.path("reminders").read_text("utf-8").replace(old, new)
    (tmp_path / "reminders.md").write_text(text, encoding="utf-8")
    with pytest.raises(PromptError, match=error):
        Prompts(tmp_path).check()


def test_a_folder_replaces_only_the_files_it_has(tmp_path: Path) -> None:
    text = 'Answer {"a": {"b": "{c}"}}.\n\n{{manifest}}\n'
    (tmp_path / "select.md").write_text(text, encoding="utf-8")
    own = Prompts(tmp_path)
    own.check()
    assert own.load("select", manifest="M", limit="5") == 'Answer {"a": {"b": "{c}"}}.\n\nM'
    assert own.load("compact") == SHIPPED.load("compact")
    assert [name for name in PURPOSES if own.own(name)] == ["select"]


def test_a_session_goes_on_with_the_prompts_it_began_with(tmp_path: Path) -> None:
    (tmp_path / "compact.md").write_text("Be brief.", encoding="utf-8")
    own = Prompts(tmp_path)
    own.check()
    (tmp_path / "compact.md").write_text("{{oops}}", encoding="utf-8")
    assert own.load("compact") == "Be brief."
    with pytest.raises(PromptError, match=r"compact\.md:1: \{\{oops\}\}"):
        Prompts(tmp_path).check()


def test_a_folder_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(PromptError, match="there is no such folder of prompts"):
        Prompts(tmp_path / "none").check()


@pytest.mark.parametrize("name", ["nothing", "../settings", "__init__", ""])
def test_an_unknown_name_is_answered_with_the_list(name: str) -> None:
    with pytest.raises(PromptError, match="select_request"):
        SHIPPED.text(name)
