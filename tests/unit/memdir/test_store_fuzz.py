"""Any order of changes to the store agrees with a plain model of a memory directory."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memlab.clock import CourseClock
from memlab.memdir.index import parse_pointers
from tests.faults.disks import tree
from tests.faults.scenes import FreeStore
from tests.house import note


def any_of(text: str) -> st.SearchStrategy[str]:
    return st.sampled_from(text.split("¦"))


STEPS = st.tuples(
    any_of("write¦write¦remove¦undo¦undo¦by hand¦own line"),
    any_of("a.md¦b.md¦sub/c.md"),
    any_of("one¦two¦three: four¦# five¦sechs ü¦---"),
)
Version = tuple[bytes, int] | None


def play(steps: list[tuple[str, str, str]], directory: Path) -> None:
    """Do each step to a store and to a model: files, changes that stand, own lines, contents."""
    clock, own, ever = CourseClock(), list[str](), set[bytes]()
    files: dict[str, Version] = {}
    done: list[tuple[str, Version, Version]] = []
    for kind, file, word in steps:
        clock.advance(1)
        store = FreeStore(directory, clock=clock, durable=False)
        now, was = int(clock.now().timestamp()) * 10**9, files.get(file)
        data, change = note(word, "N", about=f"'{word}'").encode(), ""
        if kind == "write":
            change = store.write_text(file, data).change
        elif kind == "remove" and was:
            change = store.remove(file).change
        elif kind == "undo" and done:
            last, before, after = done[-1]
            trio = (files.get(last), before, after)
            held, old, new = (one and one[0] for one in trio)
            undone = store.undo()
            if held in (old, new):
                files[last] = before if held == new else files.get(last)
                done.pop()
            else:
                assert undone.kept == (last,), "edited by hand: left alone, and named"
        elif kind == "by hand" and was:
            (directory / file).write_bytes(data + b"by hand\n")
            files[file] = data + b"by hand\n", (directory / file).stat().st_mtime_ns
        elif kind == "own line" and (directory / "MEMORY.md").exists():
            own.append(f"own line {len(own)}")
            with (directory / "MEMORY.md").open("a", encoding="utf-8") as index:
                index.write(f"{own[-1]}\n")
        if change and (kind == "remove" or not was or was[0] != data):
            files[file] = (data, now) if kind == "write" else None
            done.append((file, was, files[file]))
            ever |= {was[0]} if was else set()
        there = {name: one for name, one in files.items() if one}
        found = tree(directory)
        text = found.pop("MEMORY.md", (b"", 0))[0].decode()
        assert found == there
        assert sorted(one.file for one in parse_pointers(text)) == sorted(there)
        assert [line for line in text.splitlines() if line.startswith("own")] == own
    if steps:
        kept = {store.content(sha) for entry in store.history() for sha in entry.hashes}
        assert ever <= kept, "what was written over or removed can be had again"


@pytest.mark.behaviour("A8")
@pytest.mark.parametrize("runs", [40, pytest.param(400, marks=pytest.mark.soak)])
def test_any_order_of_changes_agrees_with_a_model(runs: int, tmp_path: Path) -> None:
    @settings(max_examples=runs, deadline=None, database=None)
    @given(st.lists(STEPS, max_size=25))
    def check(steps: Any) -> None:
        play(steps, tmp_path / f"{len([*tmp_path.iterdir()])}" / "m")

    check()
