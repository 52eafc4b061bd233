"""Reading and writing one memory file: kept bytes, changed keys, refused files."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime
from functools import partial
from pathlib import Path

import pytest
import yaml

from memlab.errors import MemoryFormatError
from memlab.memdir import frontmatter
from memlab.memdir.memory import Memory, MemoryType, format_memory, is_stale, parse_memory
from tests.work import calls, does_not_stall

TABS = """\
---
name: answers-short
description: Robin wants short answers, and tabs
type: user
---

Robin reads on a phone between two boats.
"""
TODAY = """\
---
# written by hand
name: 'no-mocks'   # the slug

description: >-
  Robin: no mocked database
  in the booking tests
metadata:
  type: feedback   # today's form
  node: "4f2a"
seen: 2026-03-19
tags: [tests, "db: real"]
---
Use the container.

**Why:** a mock hid the tide bug; see [[tide-tables]] and [[answers-short]].
---
**How to apply:** `[[ -f compose.yml ]]` comes first. Again: [[tide-tables]].
"""
EXAMPLES = (
    TABS,
    TODAY,
    TODAY.replace("\n", "\r\n"),
    "\ufeff" + TABS.rstrip("\n"),
    '---\nname: "tide: \\u00e9"\ndescription: |+\n  a\n\n  b\n\ntype: project\n---\n# Täglich 🛶\n',
    "---\nname: x\ndescription: 'it''s'\ntype: reference\nlinks:\n- a\n- b: {c: d}\n---",
    "---\n{name: braces, description: 'a, b', type: user}\n---\nbody\n",
    "---\nname: old\nsuperseded_by: new.md\n---\n",
)
PATH = Path("memory/no-mocks.md")


def refused_with(source: bytes | str) -> MemoryFormatError:
    with pytest.raises(MemoryFormatError) as caught:
        parse_memory(source, path=PATH)
    assert str(caught.value).startswith(f"{PATH}:{caught.value.line}: ")
    return caught.value


def changed_lines(before: str, after: str) -> tuple[list[str], list[str]]:
    """The lines between the common beginning and the common end."""
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    while old and new and old[0] == new[0]:
        old, new = old[1:], new[1:]
    while old and new and old[-1] == new[-1]:
        old, new = old[:-1], new[:-1]
    return old, new


@pytest.mark.behaviour("A1")
def test_a_memory_is_read_with_its_type_links_and_unknown_keys() -> None:
    memory = parse_memory(TODAY.encode(), path=PATH)
    assert memory.name == "no-mocks"
    assert memory.description == "Robin: no mocked database in the booking tests"
    assert memory.type is MemoryType.feedback
    assert memory.raw_type == "feedback"
    assert memory.body == TODAY.split("---\n", 2)[2]
    assert memory.links == ("tide-tables", "answers-short")
    assert memory.header
    assert (
        memory.header.values.items()
        > {
            "seen": "2026-03-19",
            "tags": ["tests", "db: real"],
            "metadata": {"type": "feedback", "node": "4f2a"},
        }.items()
    )
    assert memory.path == PATH


@pytest.mark.behaviour("A6")
@pytest.mark.parametrize("text", EXAMPLES)
def test_an_unchanged_file_is_written_byte_for_byte(text: str) -> None:
    assert format_memory(parse_memory(text.encode())).encode() == text.encode()
    assert format_memory(parse_memory(text)) == text


@pytest.mark.parametrize(
    "spelled", ["yes", "null", "~", "2026-03-30", "1_000", "0o14", "12:30", "1e3", ".inf", "="]
)
def test_a_value_is_the_text_that_stands_there(spelled: str) -> None:
    memory = parse_memory(f"---\nname: {spelled}\ndescription: {spelled}\n---\n")
    assert (memory.name, memory.description) == (spelled, spelled)


@pytest.mark.behaviour("A2")
def test_missing_keys_and_unknown_types_do_not_stop_a_reader() -> None:
    memory = parse_memory("---\n# nothing yet\n---\nbody")
    assert (memory.name, memory.description, memory.type, memory.raw_type) == ("", "", None, "")
    odd = parse_memory("---\nname: a\ntype: recipe\n---\n")
    assert (odd.type, odd.raw_type) == (None, "recipe")
    assert parse_memory("---\ntype: [user]\n---\n").type is None
    assert format_memory(replace(odd, name="b")) == "---\nname: b\ntype: recipe\n---\n"


@pytest.mark.behaviour("A2")
def test_a_type_beside_the_four_is_refused_when_written() -> None:
    memory = replace(parse_memory(TABS), type="recipe")  # type: ignore[arg-type]
    with pytest.raises(MemoryFormatError, match="user, feedback, project, reference"):
        MemoryType.parse("recipe")
    with pytest.raises(MemoryFormatError, match="user, feedback, project, reference"):
        format_memory(memory)
    assert MemoryType.parse("project") is MemoryType.project


@pytest.mark.behaviour("A6")
def test_a_changed_key_touches_only_its_own_lines() -> None:
    memory = parse_memory(TODAY)
    for change, old, new in [
        (
            {"name": "real-db"},
            ["name: 'no-mocks'   # the slug\n"],
            ["name: real-db   # the slug\n"],
        ),
        (
            {"description": "tests: a real one"},
            TODAY.splitlines(keepends=True)[4:7],
            ['description: "tests: a real one"\n'],
        ),
        (
            {"type": MemoryType.project},
            ["  type: feedback   # today's form\n"],
            ["  type: project   # today's form\n"],
        ),
        ({"dropped": "stale"}, [], ["dropped: stale\n"]),
    ]:
        written = format_memory(replace(memory, **change))  # type: ignore[arg-type]
        assert changed_lines(TODAY, written) == (old, new)
        dos = parse_memory(TODAY.replace("\n", "\r\n"))
        assert format_memory(replace(dos, **change)) == written.replace("\n", "\r\n")  # type: ignore[arg-type]


def test_the_type_is_written_wherever_the_file_has_it() -> None:
    both = "---\ntype: user\nmetadata: {type: user, a: b}\n---\n"
    neither = "---\nmetadata: none\n---\n"
    for text, expected in [
        (TABS, TABS.replace("type: user", "type: project")),
        (both, "---\ntype: project\nmetadata: {type: project, a: b}\n---\n"),
        (neither, "---\nmetadata: none\ntype: project\n---\n"),
        ("---\nname: a\ntype:\n---\n", "---\nname: a\ntype: project\n---\n"),
    ]:
        written = format_memory(replace(parse_memory(text), type=MemoryType.project))
        assert written == expected


def test_a_memory_made_in_code_has_the_plain_form() -> None:
    memory = Memory("tide-tables", "Where: the harbour's site", MemoryType.reference, "Daily.")
    text = format_memory(memory)
    assert text == (
        '---\nname: tide-tables\ndescription: "Where: the harbour\'s site"\n'
        "type: reference\n---\n\nDaily.\n"
    )
    again = parse_memory(text)
    assert format_memory(again) == text
    assert format_memory(replace(memory, body=again.body)) == text


def test_a_tombstone_names_a_reason_and_has_nothing_left_to_lose() -> None:
    assert parse_memory("---\nname: a\nsuperseded_by: b.md\n---\n\n").is_tombstone
    assert parse_memory("---\nname: a\ndropped: stale\n---\n").is_tombstone
    assert not parse_memory("---\nname: a\ndropped:\n---\n").is_tombstone
    assert not parse_memory("---\nname: a\ndropped: stale\n---\nstill here\n").is_tombstone


@pytest.mark.behaviour("A6")
@pytest.mark.parametrize(
    ("source", "line", "words"),
    [
        ("", 1, "no frontmatter"),
        ("# Tides\n---\nname: a\n---\n", 1, "no frontmatter"),
        ("---\nname: a\n", 1, "without an end"),
        ("---\r\nname: a: b\r\n---\r\n", 2, "mapping values"),
        ("\ufeff---\nname: a\nb: [1\n---\n", 3, "expected ',' or ']'"),
        ('---\nname: "a\ndescription: b\n---\n', 2, "end of stream"),
        ("---\nmetadata:\n\ttype: user\n---\n", 3, "Indent by spaces"),
        ("---\nname: a\n  \tb: c\n---\n", 3, ""),
        ("---\nname: *important* thing\n---\n", 2, "alphabetic"),
        ("---\na: &x [1]\nname: b\n---\n", 2, "anchor"),
        ("---\nname: b\na: *x\n---\n", 3, "alias"),
        ("---\nname: a\nb: !!python/object/apply:os.system [ls]\n---\n", 3, "tag"),
        ("---\nname: !important\n---\n", 2, "tag"),
        ("---\nname: a\ntype: user\nname: b\n---\n", 4, "twice"),
        ("---\na:\n  b: 1\n  b: 2\n---\n", 4, "twice"),
        ("---\n[a]: b\n---\n", 2, "no text"),
        ("---\n- a\n---\n", 2, "key: value"),
        ("---\nhello\n---\n", 2, "key: value"),
        ("---\nname: a\n--- b\n---\n", 1, "without an end"),
        ("---\nname: a\n...\nb: c\n---\n", 4, "document start"),
        ("---\n  name: a\nb: c\n---\n", 3, "document start"),
        ("---\nname: a\n\x07: b\n---\n", 3, "character"),
        (b"---\nname: a\n---\nbody\n\xff\n", 5, "not UTF-8"),
        ("---\nname: a\n---\n".encode("utf-16"), 1, "not UTF-8"),
        ("---\nname: a\n---\n\ud83d\n", 4, "not UTF-8"),
        ('---\nname: a\nb: "\\ud83d"\n---\n', 3, "escape"),
        ("---\nname: a\n---\n\n\0", 5, "NUL"),
        (bytes(range(256)), 1, ""),
    ],
)
def test_a_broken_file_is_refused_by_file_and_line(
    source: bytes | str, line: int, words: str
) -> None:
    error = refused_with(source)
    assert words in str(error)
    assert error.line == line


@pytest.mark.behaviour("A6")
def test_an_alias_bomb_is_refused_before_it_is_built() -> None:
    bomb = "a0: &a0 x\n" + "".join(
        f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 40)
    )
    assert refused_with(f"---\n{bomb}---\n").line == 2


def test_a_memory_has_a_size_limit_which_the_error_names() -> None:
    for source in (bytes(50_000_000), "ä" * 600_000):
        error = refused_with(source)
        assert f"{len(source if isinstance(source, bytes) else source.encode()):,}" in str(error)
        assert "1,048,576" in str(error)
        assert calls(partial(refused_with, source)) < 100, "it was refused unread"
    fits = TABS + "x" * (frontmatter.MAX_BYTES - len(TABS))
    assert len(parse_memory(fits).body) > 1_000_000


@pytest.mark.parametrize("opening", ["[", "{a: ", "- ", "? ", "[{a: "])
def test_deep_nesting_is_refused_and_never_exhausts_the_stack(opening: str) -> None:
    for depth in (25, 5_000, 100_000):
        source = f"---\na:\n {opening * depth}\n---\n"
        assert refused_with(source).line >= 2
        assert does_not_stall(partial(refused_with, source))
    flat = parse_memory(f"---\na: {'[' * 15}x{']' * 15}\n---\n")
    assert flat.header
    assert str(flat.header.values["a"]).count("[") == 15


CLAUDE_CODE_197 = """---
name: answers-short
description: how long answers should be
metadata:\x20
  node_type: memory
  type: feedback
  dropped: Robin changed their mind
  owner: kim
  originSessionId: de7294f9-091b-4bb5-8e31-8c485c43996f
---

Keep it brief. See [[tide-tables]] and [[nowhere]].
"""
CLAUDE_CODE_330 = """---
name: old-rule
description: an old rule
metadata:
  node_type: memory
  type: project
  superseded_by: answers-short.md
  originSessionId: 51e8909a-5036-4084-af1f-3bc834a6a99f
  modified: 2026-11-22T19:22:49.722Z
---

"""


class TestAFileThatClaudeCodeWrote:
    """The two texts above are what versions 2.1.197 and 2.1.330 made of files with plain keys."""

    @pytest.mark.behaviour("A9")
    def test_the_keys_below_metadata_count(self) -> None:
        short = parse_memory(CLAUDE_CODE_197)
        assert (short.type, short.dropped) == (MemoryType.feedback, "Robin changed their mind")
        assert (short.is_tombstone, short.is_from_claude_code) == (False, True)
        assert short.header
        assert short.header.values["metadata"]["owner"] == "kim"
        old = parse_memory(CLAUDE_CODE_330)
        assert (old.superseded_by, old.is_tombstone) == ("answers-short.md", True)
        assert old.modified_at == datetime(2026, 11, 22, 19, 22, 49, 722_000, tzinfo=UTC)

    def test_a_new_key_comes_last(self) -> None:
        written = format_memory(replace(parse_memory(CLAUDE_CODE_197), pinned="true"))
        assert changed_lines(CLAUDE_CODE_197, written) == ([], ['pinned: "true"\n'])
        assert parse_memory(written).is_pinned

    def test_a_key_in_both_places_is_read_at_the_top_and_written_to_both(self) -> None:
        text = "---\nname: a\ndropped: top\nmetadata:\n  dropped: below\n---\n"
        memory = parse_memory(text)
        assert memory.dropped == "top"
        assert format_memory(replace(memory, name="b")) == text.replace("name: a", "name: b")
        written = format_memory(replace(memory, dropped="new"))
        assert written == text.replace("top", "new").replace("below", "new")


@pytest.mark.behaviour("A6")
@pytest.mark.parametrize(
    "value", ["yes", "2026-03-30", "1e3", "a: b", "a #b", "*a", "", "a\nb\x85"]
)
def test_a_value_that_yaml_would_change_is_quoted(value: str) -> None:
    text = format_memory(Memory("n", value, None, "", dropped="."))
    assert parse_memory(text).description == value
    if value:
        assert yaml.safe_load(text.split("---\n")[1])["description"] == value


@pytest.mark.behaviour("A12")
def test_a_pinned_memory_and_one_that_goes_stale() -> None:
    for value, expected in {
        "": False,
        "false": False,
        "No": False,
        "true": True,
        "x": True,
    }.items():
        for text in (f"pinned: {value}", f"metadata:\n  pinned: {value}"):
            memory = parse_memory(f"---\nname: a\n{text}\n---\n")
            assert memory.is_pinned is expected
    memory = parse_memory("---\nname: a\nmetadata:\n  stale_after: 2026-11-30\n---\n")
    for today, expected in {29: False, 30: True}.items():
        assert is_stale(memory.stale_after, date(2026, 11, today)) is expected
    assert not is_stale("soon", date(2026, 11, 30))
    pinned = format_memory(replace(parse_memory(TABS), pinned="true"))
    assert changed_lines(TABS, pinned) == ([], ['pinned: "true"\n'])


@pytest.mark.parametrize(
    ("line", "quoted"),
    [
        ("description: Before a release: ask Odile", 'description: "Before a release: ask Odile"'),
        ("name: Issue #4 and #5", "name: Issue #4 and #5"),
        ("name: Tabs # not spaces", "name: Tabs # not spaces"),
        ('description: "Whole: already"', 'description: "Whole: already"'),
    ],
)
def test_a_value_that_yaml_would_not_read_as_one_text_is_quoted(line: str, quoted: str) -> None:
    text = f"---\n{line}\ntype: user\n---\n\nIt is: so.\n"
    assert frontmatter.with_quotes(text.encode()).decode() == text.replace(line, quoted)


def test_what_cannot_be_read_even_so_stays() -> None:
    for text in ("---\nname: [a: b\n---\n", "no header: here\n", "---\nname: a: b\n"):
        assert frontmatter.with_quotes(text.encode()) == text.encode()
