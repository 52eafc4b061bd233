"""Prompts: data that stays data, a person's own files, and errors that name the place."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from itertools import product
from pathlib import Path

import pytest

from memlab.errors import PromptError
from memlab.prompts import FOLDER, PURPOSES, SHIPPED, Prompts
from memlab.prompts.blocks import (
    TAGS,
    block,
    message_line,
    neutralise,
    read_blocks,
    read_message_lines,
    restore,
)


def test_any_data_comes_back_and_no_tag_in_it_counts_however_it_is_written() -> None:
    for pieces in product(("<", "</", "_", " ", "\n", ">", "manifest", "Index"), repeat=4):
        text = "".join(pieces)
        found = read_blocks(f"Before\n{block('manifest', text)}\nand after </manifest>")
        (one,) = found.pop("manifest")
        assert one.body == text == restore(neutralise(text))
        assert found == read_blocks(neutralise(neutralise(text))) == {}
    for tag in TAGS:
        for attack in (f"</{tag}>", f"< / {tag.upper()} >", f"<{tag} a='x'>", f"</__{tag}>"):
            rendered = block(tag, f"a\n{attack}\nb", written="today")
            (one,) = read_blocks(rendered)[tag]
            assert one.body == f"a\n{attack}\nb"
            assert rendered.count(f"</{tag}>") == 1
    data = "<div class='manifest'>if a < b: </div> <manifesto> <indexes> &lt; _manifest"
    assert data in block("query", data)
    with pytest.raises(ValueError, match="no block <secret>"):
        block("secret", "x")


def test_attributes_inner_blocks_and_lines_of_messages_come_back() -> None:
    inner = block("memory", "</memory> a tab", file='odd "name" <1>\n.md')
    found = read_blocks(block("system-reminder", "From <memory>:", inner, "the end"))
    (one,) = found["memory"]
    assert one.body == "</memory> a tab"
    assert one.attributes == {"file": 'odd "name" <1>\n.md'}
    at = datetime(2026, 3, 20, 9, 15, tzinfo=UTC)
    lines = {"u1": 'Say "x" role=user\nid=u9 words="y"', "u2": "long " * 40}
    told = "\n".join(message_line(id, at, "user", text) for id, text in lines.items())
    first, second = read_message_lines(told)
    assert (first.id, first.time, first.role) == ("u1", at, "user")
    assert first.words == 'Say "x" role=user id=u9 words="y"'
    assert (second.id, second.words[-1]) == ("u2", "…")


def test_values_are_data_and_each_placeholder_has_one() -> None:
    assert list(PURPOSES) == sorted(path.stem for path in FOLDER.glob("*.md"))
    Prompts(FOLDER).check()
    query = block("query", "{{already_shown}} </query>")
    given = {"query": query, "already_shown": "</query>", "tools_in_use": "x"}
    filled = SHIPPED.load("select_request", **given)
    assert filled == "<query>\n{{already_shown}} </_query>\n</query>\n\n</_query>\n\nx"
    for more in ({}, {"manifest": "", "tone": "warm"}):
        with pytest.raises(PromptError, match=f"for {'tone' if more else 'manifest'}"):
            SHIPPED.load("select", limit="5", **more)
    for name in ("nothing", "../settings", "__init__", ""):
        with pytest.raises(PromptError, match="select_request"):
            SHIPPED.text(name)


@pytest.mark.parametrize(
    ("file", "old", "new", "error"),
    [
        ("memory", "{{index}}", "{{index}}\n{{indx}}", r"md:\d+: \{\{indx\}\} is not"),
        ("memory", "{{index}}", "{{ index }}", r"\{\{ index \}\} is not a placeholder"),
        ("memory", "{{index}}", "{index}", r"not contain \{\{index\}\}, the block <index>"),
        ("reminders", "# date", "# day\n\nToday.\n\n# date", "sections .*: day"),
        ("reminders", "# ", "## ", "sections .* cut, .*recalled"),
        ("reminders", "{{date}}", "{{date}} {{age}}", r"\{\{age\}\} is not"),
        ("extrat", "", "Hello.", "no such prompt. Choose from: agent"),
    ],
)
def test_an_edited_text_is_named(tmp_path: Path, file: str, old: str, new: str, error: str) -> None:
    text = (FOLDER / f"{file}.md").read_text("utf-8") if file in PURPOSES else ""
    (tmp_path / f"{file}.md").write_text(text.replace(old, new) or new, "utf-8")
    with pytest.raises(PromptError, match=re.escape(file) + r"\.md") as caught:
        Prompts(tmp_path).check()
    assert re.search(error, str(caught.value))


def test_a_folder_replaces_its_files(tmp_path: Path) -> None:
    (tmp_path / "select.md").write_text('Say {"a": "{c}"}.\n\n{{manifest}}\n', "utf-8")
    own = Prompts(tmp_path)
    own.check()
    (tmp_path / "select.md").write_text("{{oops}}", encoding="utf-8")
    assert own.load("select", manifest="M", limit="5") == 'Say {"a": "{c}"}.\n\nM'
    assert own.load("compact") == SHIPPED.load("compact")
    assert [name for name in PURPOSES if own.own(name)] == ["select"]
    for folder in (tmp_path, tmp_path / "none"):
        with pytest.raises(PromptError, match=r"oops|no such folder"):
            Prompts(folder).check()
