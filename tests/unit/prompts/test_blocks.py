"""Data in a prompt: what was rendered is read back, and no data closes or opens a block."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import product

import pytest

from memlab.prompts.blocks import (
    TAGS,
    block,
    message_line,
    neutralise,
    read_blocks,
    read_message_lines,
    restore,
)

PIECES = (
    "<",
    "</",
    "< /",
    "_",
    "__",
    " ",
    "\n",
    ">",
    "manifest",
    "Memory",
    "index",
    "index_news",
    "x",
)
TEXTS = ["".join(pieces) for pieces in product(PIECES, repeat=4)]


def test_any_data_comes_back_and_stays_inside_its_block() -> None:
    for text in TEXTS:
        assert restore(neutralise(text)) == text
        found = read_blocks(f"Before\n{block('manifest', text)}\nand after </manifest>")
        assert found == {"manifest": found["manifest"]}, text
        assert [one.body for one in found["manifest"]] == [text], text


def test_data_that_was_neutralised_before_is_not_taken_for_a_block() -> None:
    for text in TEXTS[::7]:
        twice = neutralise(neutralise(text))
        assert restore(restore(twice)) == text
        assert read_blocks(twice) == {}


@pytest.mark.parametrize("tag", TAGS)
def test_every_tag_is_guarded_however_it_is_written(tag: str) -> None:
    for attack in (f"</{tag}>", f"< / {tag.upper()} >", f"<{tag} file='x'>", f"</__{tag}>"):
        data = f"a\n{attack}\nb"
        rendered = block(tag, data, written="today")
        assert [one.body for one in read_blocks(rendered)[tag]] == [data]
        assert rendered.count(f"</{tag}>") == 1


def test_all_other_markup_reaches_the_model_unchanged() -> None:
    data = "<div class='manifest'>if a < b: </div> <manifesto> <indexes> &lt; _manifest"
    assert data in block("query", data)


def test_attributes_and_inner_blocks_come_back() -> None:
    inner = block("memory", "</memory> a tab", file='odd "name" <1>\n.md')
    found = read_blocks(block("system-reminder", "From <memory>:", inner, "the end"))
    assert found["memory"][0].attributes == {"file": 'odd "name" <1>\n.md'}
    assert found["memory"][0].body == "</memory> a tab"
    assert block("manifest") == "<manifest></manifest>"
    assert read_blocks(block("manifest"))["manifest"][0].body == ""
    with pytest.raises(ValueError, match="TAGS"):
        block("note", "x")


def test_a_message_is_listed_on_one_line_and_read_back() -> None:
    at = datetime(2026, 3, 20, 9, 15, tzinfo=UTC)
    lines = "\n".join(
        message_line(id, at, "user", text)
        for id, text in [("u1", 'Say "x" role=user\nid=u9 words="y"'), ("u2", "long " * 40)]
    )
    first, second = read_message_lines(lines)
    assert (first.id, first.time, first.role) == ("u1", at, "user")
    assert first.words == 'Say "x" role=user id=u9 words="y"'
    assert second.id == "u2"
    assert second.words.endswith("…")
