"""Properties of the frontmatter reader, over generated files of every spelling YAML has."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any
from unittest.mock import patch

import pytest
import yaml
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from memlab.memdir import frontmatter
from memlab.memdir.memory import Memory, MemoryType, format_memory, parse_memory

MANY = settings(max_examples=60, deadline=None)
LETTERS = "abz XY 09 äß潮🛶é"
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
SCALARS = st.one_of(
    TEXT,
    st.text("ab: #-*&!|>'\"%@`[]{},?\n\t\r\\~=<.", max_size=12),
    st.sampled_from(["yes", "null", "2026-03-30", "1_000", "0x1F", "12:30:45", "+.inf", "a: b"]),
)
WORD = st.text(LETTERS, min_size=1, max_size=12).map(lambda text: f"w{text.strip()}")
KEY = st.from_regex(r"[a-z][a-z_-]{0,8}", fullmatch=True)


@dataclass(frozen=True)
class Entry:
    """One top-level key with all its lines, and the comments and empty lines that follow."""

    key: str
    lines: tuple[str, ...]
    after: tuple[str, ...] = ()


def spelled(key: str, word: str, more: str, style: int) -> tuple[str, ...]:
    """Spell a value of one or two words in one of the ways YAML has."""
    escaped = more.encode("unicode_escape").decode()
    return (
        (f"{key}: {word}",),
        (f"{key}:   {word}   # {more}",),
        (f"{key}: '{word}: it''s # {more}'",),
        (f'{key}: "{word}: {escaped}"  # quoted',),
        (f"{key}: |", f"  {word}", "", f"  --- {more}", ""),
        (f"{key}: >-  # folded", f"    {word}", f"    {more}"),
        (f"{key}: {word}", f"  {more}"),
        (f"{key}:", f"  {word}"),
        (f'{key}: "{word}', f'  {more}"'),
        (f"? {key}", f": {word}"),
    )[style]


@st.composite
def entries(draw: st.DrawFn) -> tuple[Entry, ...]:
    made = []
    gaps = st.lists(st.sampled_from(["", "# a comment: 'odd", "   ", "  # deeper"]), max_size=2)
    for key in [*draw(st.lists(KEY, max_size=4, unique=True)), "name", "description"]:
        words = draw(WORD), draw(WORD)
        lines = spelled(key, *words, draw(st.integers(0, 9)))
        unknown = key not in ("name", "description", "type", "metadata", "dropped", "superseded_by")
        if unknown and draw(st.booleans()):
            flow, block = (
                (f"{key}: [{words[0]}, {{a: b}}]",),
                (f"{key}:", f"- {words[0]}", "- a: b"),
            )
            lines = draw(st.sampled_from([flow, block, (f"{key}:",)]))
        made.append(Entry(key, lines, tuple(draw(gaps))))
    kind = draw(st.sampled_from(list(MemoryType)))
    forms = [
        Entry("type", (f"type: {kind}",)),
        Entry("type", (f"type: '{kind}' # quoted",)),
        Entry("metadata", ("metadata:", "  x: y", f"  type: {kind}", "  z: [1]")),
        Entry("metadata", (f"metadata: {{type: {kind}, x: y}}",)),
    ]
    made = [entry for entry in made if entry.key not in ("type", "metadata")]
    made += draw(st.sampled_from([[], *[[form] for form in forms]]))
    return tuple(draw(st.permutations(made)))


@dataclass(frozen=True)
class File:
    """A generated file as the parts that must survive."""

    bom: str
    entries: tuple[Entry, ...]
    end: str
    body: str

    def lines(self, entries: tuple[Entry, ...]) -> str:
        return "".join(line + self.end for e in entries for line in (*e.lines, *e.after))

    @property
    def opening(self) -> str:
        return f"{self.bom}---{self.end}"

    @property
    def text(self) -> str:
        return f"{self.opening}{self.lines(self.entries)}---{self.body and self.end}{self.body}"


BODIES = st.one_of(
    TEXT, st.sampled_from(["", "a\n---\nb: c\n---\n", "---\r\n---", "\n\n# T\n\n[[x]]\n", "no end"])
).map(lambda body: body.replace("\0", ""))
FILES = st.builds(
    File,
    bom=st.sampled_from(["", "\ufeff"]),
    entries=entries(),
    end=st.sampled_from(["\n", "\r\n"]),
    body=BODIES,
)


LOADERS = st.sampled_from([yaml.SafeLoader, getattr(yaml, "CSafeLoader", yaml.SafeLoader)])


def read(file: File, loader: object) -> Memory:
    with patch.object(frontmatter, "_LOADER", loader):
        return parse_memory(file.text.encode())


def write(memory: Memory, loader: object) -> str:
    with patch.object(frontmatter, "_LOADER", loader):
        return format_memory(memory)


@pytest.mark.behaviour("A6")
@MANY
@given(FILES, LOADERS)
def test_an_unchanged_file_is_written_byte_for_byte(file: File, loader: object) -> None:
    memory = read(file, loader)
    assert memory.body == file.body
    assert write(memory, loader).encode() == file.text.encode()


@MANY
@given(FILES, LOADERS)
def test_every_value_is_what_pyyaml_reads_as_text(file: File, loader: object) -> None:
    expected = yaml.load(file.lines(file.entries), Loader=yaml.BaseLoader)
    memory = read(file, loader)
    assert memory.name == expected.pop("name")
    assert memory.description == expected.pop("description")
    below = expected.get("metadata", {})
    assert memory.raw_type == expected.get("type", below.get("type", ""))
    assert memory.header
    assert memory.header.values.items() >= expected.items()


@MANY
@given(FILES, LOADERS, st.sampled_from(["name", "description"]), SCALARS)
def test_a_changed_key_touches_only_its_own_lines(
    file: File, loader: object, key: str, value: str
) -> None:
    memory = read(file, loader)
    at = [entry.key for entry in file.entries].index(key)
    changes: dict[str, Any] = {key: value}
    written = write(replace(memory, **changes), loader)
    before = file.opening + file.lines(file.entries[:at])
    own = file.entries[at]
    if not re.match(r"\w+: [|>]", own.lines[0]):  # a block takes in what is indented below it
        own = replace(own, after=())
    after = file.text[len(before + file.lines((own,))) :]
    old, new = file.text.splitlines(keepends=True), written.splitlines(keepends=True)
    untouched = len(before.splitlines()), len(after.splitlines())
    assert new[: untouched[0]] == old[: untouched[0]]
    assert new[len(new) - untouched[1] :] == old[len(old) - untouched[1] :]
    assert len(new) > sum(untouched)
    assert parse_memory(written) == replace(memory, **changes)


@MANY
@given(SCALARS, SCALARS, st.sampled_from([*MemoryType, None]), TEXT)
def test_a_memory_made_in_code_reads_back_as_it_was(
    name: str, description: str, kind: MemoryType | None, body: str
) -> None:
    assume("\0" not in body)
    text = format_memory(Memory(name, description, kind, body))
    again = parse_memory(text.encode())
    assert (again.name, again.description, again.type) == (name, description, kind)
    assert again.body.strip("\r\n") == body.strip("\r\n")
    block = text[4 : text.index("\n---\n", 3)]
    expected = {"name": name, "description": description, "type": kind and kind.value}
    for loader in (yaml.SafeLoader, getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
        read = yaml.load(block, Loader=loader) or {}
        assert read == {key: value for key, value in expected.items() if value}
