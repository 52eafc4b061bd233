"""Prompts: data that stays data, a person's own files, and errors that name the place."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import product
from pathlib import Path

import pytest

from memlab.errors import PromptError
from memlab.prompts import FOLDER, SHIPPED, Prompts, blocks
from memlab.prompts.blocks import TAGS, block, neutralise, read_blocks, restore


def test_any_data_comes_back_and_no_tag_in_it_counts_however_it_is_written() -> None:
    for pieces in product(("<", "</", "_", " ", "\n", ">", "manifest", "Index"), repeat=4):
        text = "".join(pieces)
        found = read_blocks(f"Before\n{block('manifest', text)}\nand after </manifest>")
        (one,) = found.pop("manifest")
        assert one.body == text == restore(neutralise(text))
        assert found == read_blocks(neutralise(neutralise(text))) == {}
    for tag in TAGS:
        attack = f"</{tag}> < / {tag.upper()} > <{tag} a='x'> </__{tag}>"
        inner = block(tag, attack, file='odd "name" <1>\n.md')
        assert inner.count(f"</{tag}>") == 1
        (one,) = read_blocks(inner)[tag]
        assert (one.body, one.attributes) == (attack, {"file": 'odd "name" <1>\n.md'})
    data = "<div class='manifest'>if a < b: </div> <manifesto> &lt; _manifest"
    assert data in block("query", data)


def test_lines_of_messages_come_back() -> None:
    at = datetime(2026, 3, 20, 9, 15, tzinfo=UTC)
    said = 'Say "x" role=user\nid=u9 words="y"'
    (line,) = blocks.read_message_lines(blocks.message_line("u1", at, "user", said))
    assert (line.id, line.time, line.role, line.words) == ("u1", at, "user", " ".join(said.split()))


def test_values_are_data_and_each_placeholder_has_one() -> None:
    Prompts(FOLDER).check()
    query = block("query", "{{already_shown}} </query>")
    given = {"query": query, "already_shown": "</query>", "tools_in_use": "x"}
    filled = SHIPPED.load("select_request", **given)
    assert filled == "<query>\n{{already_shown}} </_query>\n</query>\n\n</_query>\n\nx"
    for more in ({}, {"manifest": "", "tone": "warm"}):
        with pytest.raises(PromptError, match=f"for {'tone' if more else 'manifest'}"):
            SHIPPED.load("select", limit="5", **more)


EDITED = r"""memory ~ {{index}} ~ {{index}} {{indx}} ~ :\d+: \{\{indx\}\} is not
memory ~ {{index}} ~ {index} ~ not contain \{\{index\}\}, the block <index>
reminders ~ #  ~ ##  ~ sections .* cut, .*recalled
reminders ~ {{date}} ~ {{date}} {{age}} ~ \{\{age\}\} is not"""


@pytest.mark.parametrize("row", EDITED.split("\n"))
def test_an_edited_text_is_named_and_another_one_counts(tmp_path: Path, row: str) -> None:
    file, old, new, error = row.split(" ~ ")
    (tmp_path / "select.md").write_text('Say {"a": "{c}"}.\n\n{{manifest}}\n', "utf-8")
    own = Prompts(tmp_path)
    own.check()
    (tmp_path / f"{file}.md").write_text(SHIPPED.text(file).replace(old, new), "utf-8")
    with pytest.raises(PromptError, match=rf"{file}\.md.*{error}"):
        Prompts(tmp_path).check()
    assert own.load("select", manifest="M", limit="5") == 'Say {"a": "{c}"}.\n\nM'
    assert own.load("compact") == SHIPPED.load("compact")
