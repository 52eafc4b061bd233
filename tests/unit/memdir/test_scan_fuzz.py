"""The scan on odd trees, odd headers and odd names, made up by hypothesis."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

import pytest
import yaml
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from memlab.memdir.memory import MemoryType
from memlab.memdir.scan import MemoryHeader, Scan, format_manifest, scan_memory_files
from memlab.settings import Settings
from tests.platforms import needs_posix

pytestmark = needs_posix

HEADER = b"---\nname: a\ndescription: b\ntype: user\n---\n"
ODD = ["MEMORY.md", "memory.MD", ".md", "..md", ".hidden.md", "logs", "team", "x" * 200 + ".md"]
NAME = st.one_of(
    st.sampled_from(["a", "b.md", "c.md", *ODD]),
    st.binary(min_size=1, max_size=20).map(lambda raw: os.fsdecode(raw) + ".md"),
    st.text(min_size=1, max_size=20).map(lambda text: text + ".md"),
).filter(lambda name: not {"/", "\0"} & set(name) and name not in (".", ".."))
FILE = st.one_of(
    st.just(HEADER),
    st.binary(max_size=60).map(lambda raw: HEADER + raw),
    st.binary(max_size=60).map(lambda raw: b"---\n" + raw + b"\n---\n"),
    st.binary(max_size=60),
)
LINK = st.sampled_from([".", "..", "/", "b.md", "nothing", "self", "\ud800"])
TREE = st.recursive(
    st.dictionaries(NAME, st.one_of(FILE, LINK), max_size=4),
    lambda inner: st.dictionaries(NAME, st.one_of(FILE, LINK, inner), max_size=4),
    max_leaves=12,
)
Tree = dict[str, object]


def grow(top: str, tree: Tree) -> None:
    for name, content in tree.items():
        path = os.path.join(top, name)
        with suppress(OSError, UnicodeEncodeError):  # what the system refuses is not there
            if isinstance(content, bytes):
                with open(path, "xb") as file:
                    file.write(content)
            elif isinstance(content, str):
                os.symlink(path if content == "self" else content, path)
            elif isinstance(content, dict):
                os.mkdir(path)
                grow(path, content)


def expected(top: str, below: str = "") -> Iterator[str]:
    """Name the files that count, as plainly as it can be said."""
    for name in os.listdir(os.path.join(top, below)):
        path = os.path.join(top, below, name)
        if name.startswith(".") or os.path.islink(path):
            continue
        if os.path.isdir(path) and (below + name) != "logs":
            yield from expected(top, f"{below}{name}/")
        elif os.path.isfile(path) and name.lower() != "memory.md" and name.endswith(".md"):
            yield below + name


@contextmanager
def scanned(tree: Tree, limit: Settings) -> Iterator[tuple[str, Scan]]:
    with tempfile.TemporaryDirectory() as top:
        grow(top, tree)
        yield top, scan_memory_files(top, limit)


@pytest.mark.behaviour("D3")
@settings(max_examples=200, deadline=None)
@given(TREE, st.integers(0, 6))
@example({"loop": ".", "team": {"up": "..", "b.md": HEADER, "MEMORY.md": HEADER}}, 6)
@example({"logs": {"b.md": HEADER}, "a": {"logs": {"b.md": HEADER}}}, 6)
def test_any_tree_is_scanned_whole_and_nothing_raises(tree: Tree, most: int) -> None:
    with scanned(tree, Settings(scan_max_files=most)) as (top, scan):
        listed = [header.filename for header in scan]
        counted = set(expected(top))
        assert set(listed) | {name for name, _ in scan.skipped} <= counted
        assert len(listed) + len(scan.skipped) == min(most, len(counted))
        assert scan.beyond == max(0, len(counted) - most)
        assert len(set(listed)) == len(listed)
        manifest = format_manifest(scan)
        assert len(manifest.splitlines()) == len(listed)
        manifest.encode()


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=80), st.sampled_from(["name", "description"]))
@example("tabs, not spaces", "name")
@example("a\u2028b: c", "name")
def test_a_value_is_what_pyyaml_reads(value: str, key: str) -> None:
    assume("\n---" not in value)  # that would be the end of the header
    raw = f"---\n{key}: {value}\ntype: user\n---\n".encode("utf-8", "surrogatepass")
    with scanned({"a.md": raw}, Settings()) as (_, scan):
        for header in scan:
            loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
            read = yaml.load(raw.decode()[:-4], Loader=loader)
            assert (header.name, header.description) == (
                read.get("name", ""),
                read.get("description", ""),
            )


TEXT = st.one_of(
    st.text(),
    st.text(st.sampled_from("a\r\n\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029\u202e\ufeff\ud800")),
)


@pytest.mark.behaviour("D4")
@settings(max_examples=300, deadline=None)
@given(st.lists(st.tuples(TEXT, TEXT, st.sampled_from([None, *MemoryType])), max_size=6))
def test_a_manifest_has_one_line_a_memory_whatever_stands_in_it(
    made: list[tuple[str, str, MemoryType | None]],
) -> None:
    when = datetime(2026, 3, 30, tzinfo=UTC)
    headers = [MemoryHeader(Path("x"), name, when, "", hook, kind) for name, hook, kind in made]
    manifest = format_manifest(headers)
    assert len(manifest.splitlines()) == len(made)
    assert all(line.startswith("- ") for line in manifest.splitlines())
    manifest.encode()
