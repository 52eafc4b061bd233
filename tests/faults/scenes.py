"""A small memory directory with a past, and each kind of change that can be stopped half way."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from memlab.memdir.held import HeldSentence

from memlab.bridge import RealFiles
from memlab.clock import CourseClock
from memlab.errors import StoreError
from memlab.memdir.index import parse_pointers
from memlab.memdir.memory import Memory, MemoryType
from memlab.memdir.store import MemoryStore
from tests.faults.disks import tree

SECRET = "correct-horse-battery"
NOW = datetime(2026, 3, 30, 9, 0, tzinfo=UTC)


def no_checks(memory: Memory, **_: object) -> tuple[()]:
    return ()


def open_store(directory: Path, files: RealFiles | None = None) -> MemoryStore:
    return MemoryStore(
        directory, clock=CourseClock(NOW), files=files, checks=no_checks, writer="test", wait=0
    )


def memory(name: str, body: str, description: str = "") -> Memory:
    return Memory(name, description or f"about {name}", MemoryType.user, f"\n{body}\n")


def build(directory: Path) -> None:
    """Six changes, one of them undone, then edits by hand to a memory and to the index."""
    clock = CourseClock(datetime(2026, 3, 16, 8, 0, tzinfo=UTC))
    store = MemoryStore(directory, clock=clock, checks=no_checks, writer="test")
    for name, body in [("Tabs", "four wide"), ("Door code", SECRET), ("Tides", "the harbour's")]:
        store.write(memory(name, body, description=f"{name}: {body}"))
        clock.advance(3600)
    store.write(replace(store.read("tabs.md"), body="\neight wide\n"))
    clock.advance(3600)
    store.write_text("ops/ports.md", "---\nname: Ports\ndescription: open ones\n---\n5432\n")
    clock.advance(3600)
    store.write(replace(store.read("tides.md"), body="\nthe island's\n"))
    store.undo()
    held = HeldSentence("tides.md", f"It opens with {SECRET} only.", "unsupported")
    store.replace_many({}, hold=[held])
    (directory / "tabs.md").write_text("---\nname: Tabs\ndescription: mine now\n---\nby hand\n")
    index = directory / "MEMORY.md"
    index.write_bytes(b"# Robin's index\r\n\r\n" + index.read_bytes() + b"\nmy own line")
    for path in (directory / "tabs.md", index):
        os.utime(path, ns=(1_774_000_000_123_456_789,) * 2)


def write(store: MemoryStore) -> None:
    store.write(memory("Kayaks", "twelve of them"))


def write_in_new_folder(store: MemoryStore) -> None:
    store.write_text("boats/red/one.md", "---\nname: One\ndescription: a boat\n---\nred\n")


def edit(store: MemoryStore) -> None:
    store.write(replace(store.read("tabs.md"), description="two wide", body="\ntwo\n"))


def remove(store: MemoryStore) -> None:
    store.remove("tides.md", reason="moved away")


def undo(store: MemoryStore) -> None:
    store.undo("change-0005")


def replace_many(store: MemoryStore) -> None:
    merged = b"---\nname: Tabs\ndescription: tabs and tides\n---\nboth\n"
    new = b"---\nname: New\ndescription: found at night\n---\nnew\n"
    store.replace_many(
        {"tabs.md": merged, "tides.md": None, "ops/new.md": new}, tidy=True, who="dream"
    )


def put_index_in_order(store: MemoryStore) -> None:
    store.put_index_in_order(who="code")


def hold(store: MemoryStore) -> None:
    boat = b"---\nname: Canoes\ndescription: found at night\n---\nTwo.\n"
    held = HeldSentence("canoes.md", "They are red.", "unsupported")
    store.replace_many({"canoes.md": boat}, hold=[held], who="dream")


def forget(store: MemoryStore) -> None:
    store.forget_for_good("door-code.md", confirmed=True)


CHANGES: list[Callable[[MemoryStore], None]] = [
    write,
    write_in_new_folder,
    edit,
    remove,
    undo,
    forget,
    replace_many,
    put_index_in_order,
    hold,
]


def leaks(directory: Path, secret: str = SECRET) -> list[str]:
    """Name the files anywhere below that hold the secret."""
    return [
        path.relative_to(directory).as_posix()
        for path in sorted(directory.rglob("*"))
        if path.is_file() and secret.encode() in path.read_bytes()
    ]


def assert_helpful(refusal: StoreError) -> None:
    assert refusal.what
    assert refusal.where
    assert refusal.do


def assert_whole(directory: Path, store: MemoryStore) -> None:
    """Check that what the store promises after an open is so: no leftovers, nothing missing."""
    history = store.history()
    wanted = {sha for entry in history for _, sha in entry.hashes()} - {"", "erased"}
    records = directory / ".memlab"
    images = {path.name for path in (records / "images").iterdir()}
    assert images == wanted, "images are what the journal names, no more and no less"
    assert store.set_aside == (), "an interrupted write is not taken for a lost journal"
    known = {"guard.lock", "images", "journal.jsonl", "last.json", "pending"}
    assert {path.name for path in records.iterdir()} <= known, "no marker and no temporary file"
    assert [path.name for path in records.glob("pending/*")] in ([], ["sentences.json"])
    for sha in wanted:
        store.content(sha)
    written = {change.file for entry in history for change in entry.changes}
    waiting = {one.file for one in store.held()}
    assert ("canoes.md" in waiting) == ("canoes.md" in written), "a sentence goes with its change"
    if any(entry.what == "forget" for entry in history):
        assert leaks(directory) == leaks(directory, "door-code") == [], "neither words nor name"
    lines = (directory / ".memlab" / "journal.jsonl").read_bytes()
    assert lines.endswith(b"\n")
    assert lines.count(b'"applied"') == len(history) == lines.count(b'"changes"')
    assert not [name for name in tree(directory) if "/." in f"/{name}"], "no temporary files"
    index = (directory / "MEMORY.md").read_bytes().decode()
    pointed = [pointer.file for pointer in parse_pointers(index)]
    memories = [name for name in tree(directory) if name != "MEMORY.md"]
    assert sorted(pointed) == sorted(memories), "one pointer a memory"
