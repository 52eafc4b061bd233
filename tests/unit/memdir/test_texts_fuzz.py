"""Properties of files, names, indexes, scans and dates, for any text."""

from __future__ import annotations

import os
import re
import unicodedata
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from memlab.errors import MemoryFormatError, MemoryPathError
from memlab.evals.attacks import load_trees, set_up
from memlab.memdir.dates import DAYS, find_relative_times
from memlab.memdir.folder import Folder
from memlab.memdir.index import parse_pointers, pointer_to, settle
from memlab.memdir.instructions import index_for_prompt
from memlab.memdir.memory import Memory, MemoryType, format_memory, parse_memory
from memlab.memdir.names import plain_file
from memlab.memdir.scan import format_manifest, scan_memory_files
from memlab.settings import Settings
from tests.platforms import needs_posix

pytestmark = pytest.mark.slow


def any_of(text: str) -> st.SearchStrategy[str]:
    return st.sampled_from(text.split("¦"))


MANY = settings(max_examples=200, deadline=None)
TEXT = st.one_of(
    st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=40),
    st.text("ab: #-*&!|>'\"%@`[]{},?\n\t\r\\~=<.\u2028\x85é🛶", max_size=12),
    st.sampled_from(["yes", "null", "2026-03-30", "1_000", "0x1F", "a: b", "---\n"]),
)
VALUES = (
    "w: one¦w: one # more¦w: 'it''s # x'¦w: \"a: \\u263a\"¦w: |\n  kept\n   text¦w:¦# by hand¦"
    "¦w: >-\n  a\n  b¦w: one\n  two¦w:\n  one¦? w\n: one¦w: [a, {b: c}]¦w:\n- a\n- b: c"
)


@pytest.mark.behaviour("A6")
@MANY
@given(st.lists(any_of(VALUES), max_size=4), TEXT, TEXT, st.sampled_from(["\n", "\r\n"]))
def test_a_file_comes_back(lines: list[str], value: str, body: str, end: str) -> None:
    keys = [re.sub(r"^(\? )?w", rf"\1k{n}", one) for n, one in enumerate(lines)]
    head = "\n".join(["---", "name: a", *keys, "description: b", "---"]).replace("\n", end)
    text = f"{head}{end}{body}"
    memory = parse_memory(text.encode())
    read = yaml.load(head.replace("\r", "").strip("-"), Loader=yaml.BaseLoader)
    assert memory.header
    assert (memory.body, dict(memory.header.values)) == (body, read)
    assert format_memory(memory).encode() == text.encode()
    changed = replace(memory, description=value)
    written = format_memory(changed)
    before, _, after = text.partition("description: b")
    assert written.startswith(before)
    assert written.endswith(after)
    assert parse_memory(written) == changed


@MANY
@given(TEXT, TEXT, st.sampled_from([*MemoryType, None]), TEXT)
def test_a_memory_made_in_code(name: str, about: str, kind: Any, body: str) -> None:
    text = format_memory(Memory(name, about, kind, body))
    again = parse_memory(text.encode())
    assert (again.name, again.description, again.type) == (name, about, kind)
    assert again.body.strip("\r\n") == body.strip("\r\n")


PIECES = (
    "..¦.¦/¦//¦notes¦.md¦\\¦:¦C:¦~¦%¦%2e¦%252f¦%20¦\u2024¦\u2025¦\uff0e¦\uff0f¦\u2100¦\u200d"
    "¦\u200b¦\x00¦crew¦diary.md¦.memlab¦MEMLAB~1¦nul¦ ¦\u00e4¦a\u0308¦👩¦\n¦\ufe0f"
)


@pytest.mark.behaviour("H5")
@needs_posix
@MANY
@given(path=st.one_of(st.text(max_size=40), st.lists(any_of(PIECES)).map("".join)))
def test_no_text_leads_out_by_any_reading(path: str, tmp_path_factory: Any) -> None:
    top = tmp_path_factory.getbasetemp() / "any-text"
    if not top.exists():
        memory = load_trees().paths.make(top)["MEMORY"]
        set_up(["crew -> ../outside", "diary.md -> ../outside/secret.md"], memory)
    try:
        place = top / "memory" / plain_file(Folder(top / "memory"), path)
    except MemoryPathError:
        return
    text = str(place)
    for read in (text, unicodedata.normalize("NFKC", text), text.casefold()):
        assert os.path.realpath(read).startswith(f"{os.path.realpath(top / 'memory')}/")
    assert not place.is_dir()
    assert ".memlab" not in place.parts


LINES = (
    "# Index¦my own line¦¦- [a](a.md) — by hand¦* [b](./b.md) hook¦- [x](../x.md)¦<!--¦-->¦---"
    "¦a: b¦- [G](gone.md)¦- [[c]]¦\u2028¦  - [C](c.md)¦- [W](https://w.x/w.md)¦\r¦\ufeff"
)


@pytest.mark.behaviour("B2")
@MANY
@given(st.lists(any_of(LINES), max_size=14).map("\n".join), st.integers(0, 9), st.integers(0, 200))
def test_an_index_is_settled_for_good(text: str, most: int, size: int) -> None:
    files = ["new.md", "a.md", "b.md", "c.md"]
    made = {file: pointer_to(file, file, "a hook --> <!-- of code's") for file in files}
    limit = Settings(index_max_lines=most, index_max_bytes=size)
    for caps in (Settings(), limit):
        done = settle(text, files, made.get, settings=caps)
        assert settle(done.text, files, made.get, settings=caps).text == done.text
        listed = {one.file for one in parse_pointers(done.text)}
        assert listed | {*done.unlisted} == {*files}
        dead = [one.line for one in parse_pointers(text) if one.file == "gone.md"]
        after = iter(done.text.split("\n"))
        for line in text.split("\n"):
            if line.strip() and line.rstrip("\r") not in dead:
                # in their order
                assert any(line.strip("\ufeff\r") in one for one in after)
    shown = index_for_prompt(text, limit)
    assert len(shown.text.encode()) <= size
    assert len([*filter(None, shown.text.split("\n"))]) <= most
    assert bool(shown.warning) is bool(shown.fired)
    shown.text.encode()


HEAD = b"---\nname: a\ndescription: b\ntype: user\n---\n"
NAMES = st.one_of(
    st.sampled_from(["b.md", "MEMORY.md", ".a.md", "logs/b.md", "team/b.md"]),
    st.binary(min_size=1, max_size=20).map(lambda raw: os.fsdecode(raw) + ".md"),
).filter(lambda name: "\0" not in name and ".." not in name and not name.startswith("/"))
RAW = st.binary(max_size=60)
FILES = st.one_of(st.just(HEAD), RAW, RAW.map(lambda raw: HEAD + raw))


@pytest.mark.behaviour("D3", "D4")
@needs_posix
@MANY
@given(files=st.dictionaries(NAMES, FILES, max_size=5), most=st.integers(0, 6))
def test_any_folder_is_scanned(files: Any, most: int, tmp_path_factory: Any) -> None:
    top: Path = tmp_path_factory.mktemp("any")
    for name, data in files.items():
        path = top / name
        assume(not any(one.is_file() for one in path.parents))
        path.parent.mkdir(parents=True, exist_ok=True)
        assume(not path.is_dir())
        path.write_bytes(data)
    scan = scan_memory_files(top, Settings(scan_max_files=most))
    skipped = [name for name, _ in scan.skipped]
    assert len({one.filename for one in scan} | {*skipped}) == len(scan) + len(skipped)
    assert len(format_manifest(scan).encode().splitlines()) == len(scan)
    for one in scan:
        assert parse_memory((top / one.filename).read_bytes()).name == one.name
    for name in skipped:
        with pytest.raises(MemoryFormatError):
            parse_memory((top / name).read_bytes())


@given(st.dates(date(2000, 1, 1), date(2100, 1, 1)), st.sampled_from(DAYS))
def test_a_weekday_is_counted_in_weeks(today: date, day: str) -> None:
    now = datetime(today.year, today.month, today.day, 12, tzinfo=UTC)
    monday = today - timedelta(today.weekday())
    for word, first in (
        ("next", monday + timedelta(7)),
        ("last", monday - timedelta(7)),
        ("this", today),
        ("coming", today + timedelta(1)),
        ("since", today - timedelta(7)),
    ):
        (found,) = find_relative_times(f"{word} {day.title()}", now)
        meant = date.fromisoformat(found.instead[:10])
        assert (0 <= (meant - first).days < 7, DAYS[meant.weekday()]) == (True, day)
