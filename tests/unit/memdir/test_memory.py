"""One memory file: bytes that stay, keys that change, and files that are refused by their line."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import yaml

from memlab.errors import MemoryFormatError
from memlab.memdir.frontmatter import MAX_BYTES, with_quotes
from memlab.memdir.memory import Memory, MemoryType, format_memory, parse_memory

PLAIN = "---\nname: short\ndescription: wants tabs\ntype: user\n---\n\nOn a phone.\n"
ABOUT = "description: >-\n  Robin: no mocked\n  database\n"
BODY = "See [[tides]], [[short]].\n---\n**How to apply:** `[[ -f x ]]`, [[tides]].\n"
HAND = (
    f"---\n# by hand\nname: 'no-mocks'   # slug\n\n{ABOUT}metadata:\n  type: feedback # hi"
    f'\n  node: "4f2a"\nseen: 2026-03-19\ntags: [tests, "db: real"]\n---\n{BODY}'
)
CLAUDE = (
    "---\nname: old\ndescription: an old rule\nmetadata: \n  type: project\n"
    "  superseded_by: short.md\n  modified: 2026-11-22T19:22:49.722Z\n---\n\n"
)
BOTH = "---\ntype: user\nmetadata: {type: user, dropped: x}\ndropped: y\n---\nbody"
FLOW = "---\n{name: \"a: \\u00e9\", description: 'a, b', links: [a, {b: c}]}\n---"


@pytest.mark.behaviour("A1")
def test_a_memory_is_read_with_its_type_links_and_unknown_keys() -> None:
    memory = parse_memory(HAND.encode())
    assert (memory.name, memory.type) == ("no-mocks", MemoryType.feedback)
    assert memory.description == "Robin: no mocked database"
    assert (memory.body, memory.links) == (BODY, ("tides", "short"))
    assert memory.header
    assert memory.header.values["tags"] == ["tests", "db: real"]


@pytest.mark.behaviour("A6")
def test_an_unchanged_file_stays_byte_for_byte_and_a_change_keeps_the_rest() -> None:
    for text in (PLAIN, HAND, CLAUDE, BOTH, FLOW, "\ufeff" + PLAIN.rstrip()):
        for one in (text.encode(), text.replace("\n", "\r\n").encode()):
            assert format_memory(parse_memory(one)).encode() == one
    for text, key, value, old, new in (
        (HAND, "name", "real", "'no-mocks'   #", "real   #"),
        (HAND, "description", "a: b", ABOUT, 'description: "a: b"\n'),
        (HAND, "type", MemoryType.project, "type: feedback #", "type: project #"),
        (HAND, "dropped", "old", 'real"]\n', 'real"]\ndropped: old\n'),
        (CLAUDE, "pinned", "true", "722Z\n", '722Z\npinned: "true"\n'),
        (CLAUDE, "superseded_by", "", "by: short.md", 'by: ""'),
        (BOTH, "type", MemoryType.project, "user", "project"),
    ):
        change: Any = {key: value}
        for end in ("\n", "\r\n"):
            memory = replace(parse_memory(text.replace("\n", end)), **change)
            assert format_memory(memory) == text.replace(old, new).replace("\n", end)


@pytest.mark.behaviour("A2")
def test_any_type_is_read_and_only_the_four_are_written() -> None:
    for raw in ("", "recipe", "['user']"):
        line = f"type: {raw}\n" if raw else ""
        odd = parse_memory(f"---\nname: a\n{line}---\nbody")
        assert (odd.name, odd.type, odd.raw_type) == ("a", None, raw)
        assert format_memory(replace(odd, name="b")) == f"---\nname: b\n{line}---\nbody"
    wrong: Any = "recipe"
    with pytest.raises(MemoryFormatError, match="user, feedback, project, reference"):
        format_memory(replace(odd, type=wrong))


@pytest.mark.behaviour("A6")
def test_a_value_is_the_text_that_stands_there() -> None:
    for value in ("yes", "null", "~", "2026-03-30", "1_000", "12:30", ".inf", "="):
        assert parse_memory(f"---\nname: {value}\n---\n").name == value
    for value in ("yes", "1e3", "a: b", "a #b", "*a", "- a", "a\nb\x85", "é 🛶"):
        text = format_memory(Memory("n", value, MemoryType.user, ""))
        assert parse_memory(text).description == value
        assert yaml.safe_load(text.split("---\n")[1])["description"] == value
    same = "name: Tabs # not spaces", 'name: "A: b"', "name: [a: b"
    for line, quoted in (*zip(same, same, strict=True), ("name: a: b", 'name: "a: b"')):
        text = f"---\n{line}\ntype: user\n---\n\nIt is: so.\n"
        assert with_quotes(text.encode()).decode() == text.replace(line, quoted)


BOMB = "a: &a x\n" + "".join(f"{n}: &a{n} [*a, *a, *a]\n" for n in range(40))


@pytest.mark.behaviour("A6")
@pytest.mark.parametrize(
    ("source", "line", "word"),
    [
        ("# Tides\n---\nname: a\n---\n", 1, "no frontmatter"),
        ("---\nname: a\n--- b\n---\n", 1, "without an end"),
        ("---\r\nname: a: b\r\n---\r\n", 2, "mapping values"),
        ("---\nmetadata:\n\ttype: user\n---\n", 3, "Indent by spaces"),
        (f"---\n{BOMB}---\n", 2, "anchor"),
        ("---\na: b\nb: !!python/object/apply:os.system [ls]\n---\n", 3, "tag"),
        ("---\na:\n  b: 1\n  b: 2\n---\n", 4, "twice"),
        (b"---\nname: a\n---\nbody\n\xff\n", 5, "not UTF-8"),
        ("---\nname: a\n---\n\n\0", 5, "NUL"),
        ("---\na:\n " + "[" * 20_000 + "\n---\n", 3, "20 levels"),
        (PLAIN + "x" * (MAX_BYTES + 1 - len(PLAIN)), 1, "1,048,577 bytes"),
    ],
)
def test_a_broken_file_is_refused(source: Any, line: int, word: str) -> None:
    with pytest.raises(MemoryFormatError) as caught:
        parse_memory(source, path=Path("a.md"))
    assert str(caught.value).startswith(f"a.md:{line}: ")
    assert word in str(caught.value)


@pytest.mark.behaviour("A9")
def test_the_keys_that_claude_code_moves_below_metadata_count() -> None:
    old = parse_memory(CLAUDE)
    assert (old.type, old.superseded_by) == (MemoryType.project, "short.md")
    assert old.modified_at == datetime(2026, 11, 22, 19, 22, 49, 722_000, tzinfo=UTC)
    assert parse_memory(BOTH).dropped == "y", "the top level wins"


@pytest.mark.behaviour("A12")
def test_a_pinned_memory_and_one_that_goes_stale() -> None:
    for value in ("", "false", "No", "0", "true", "x"):
        for line in (f"pinned: {value}", f"metadata:\n  pinned: {value}"):
            memory = parse_memory(f"---\nname: a\n{line}\n---\n")
            assert memory.is_pinned is (value in ("true", "x")), line
    memory = parse_memory("---\nname: a\nmetadata:\n  stale_after: 2026-11-30\n---\n")
    assert memory.stale_after == "2026-11-30"
