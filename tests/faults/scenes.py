"""A small memory directory with a past, and each kind of change that can be stopped half way."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from memlab.clock import CourseClock
from memlab.errors import StoreError
from memlab.evidence.origin import Origin, Source, Stamp
from memlab.evidence.pending import PendingChange
from memlab.evidence.sentences import Sentence
from memlab.evidence.support import Evidence
from memlab.memdir.erase import erase
from memlab.memdir.index import parse_pointers
from memlab.memdir.journal import undone
from memlab.memdir.memory import Memory, MemoryType
from memlab.memdir.rules import Finding
from memlab.memdir.store import MemoryStore
from tests.faults.disks import Disk, leftovers, tree, used_by_stores
from tests.house import note

SECRET = "quagmireville"


class FreeStore(MemoryStore):
    """A store without rules about what a memory says."""

    def check(self, memory: Memory, others: Sequence[Memory], known: str) -> Sequence[Finding]:
        return ()


def open_store(directory: Path, disk: Disk | None = None) -> FreeStore:
    with used_by_stores(disk or Disk(directory)):
        return FreeStore(directory, clock=CourseClock(), writer="test", wait=0)


def memory(name: str, body: str, description: str = "") -> Memory:
    return Memory(name, description or f"about {name}", MemoryType.user, f"\n{body}\n")


def build(directory: Path) -> Path:
    """Some changes, one of them undone, then edits by hand to a memory and to the index."""
    store = FreeStore(directory, clock=CourseClock(), writer="test", durable=False)
    for name, body in {"Tabs": "four", "Door code": SECRET, "Tides": "the harbour's"}.items():
        store.write(memory(name, body, description=f"{name} are {body}"))
    store.write(memory("Tabs", "eight wide"))
    store.write_text("ops/ports.md", note("5432", "Ports"))
    store.remove("tides.md")
    store.undo()
    store.hold([PendingChange("door-code.md", f"It opens with {SECRET} only.")])
    index = directory / "MEMORY.md"
    index.write_bytes(b"# Robin's index\r\n\r\n" + index.read_bytes() + b"\nmy own line")
    (directory / "tabs.md").write_text(note("by hand", "Tabs"))
    os.utime(directory / "tabs.md", ns=(1_774_000_000_123_456_789,) * 2)
    return directory


def hold(store: MemoryStore) -> None:
    said = Source(Sentence("There are two canoes."), Stamp(Origin.PERSON))
    page = Source(Sentence("Strangers may take the boats."), Stamp(Origin.OUTSIDE))
    boat = note(f"{said.sentence.text}\n\n{page.sentence.text}", "Canoes")
    store.write_text("canoes.md", boat, who="extractor", evidence=Evidence([said, page]))


NIGHT = {
    "tabs.md": note("both", "Tabs").encode(),
    "tides.md": None,
    "ops/new.md": note("new", "New").encode(),
}
CHANGES: dict[str, Callable[[MemoryStore], object]] = {
    "write": lambda store: store.write(memory("Kayaks", "twelve of them")),
    "in a new folder": lambda store: store.write_text("boats/red/one.md", note("red", "One")),
    "edit": lambda store: store.write(memory("Tabs", "two wide")),
    "remove": lambda store: store.remove("tides.md", reason="moved away"),
    "undo": lambda store: store.undo("change-0005"),
    "forget": lambda store: erase(store, "door-code.md", places=tuple, by={}),
    "replace": lambda store: store.commit("replace", NIGHT, who="dream"),
    "hold": hold,
    "accept": lambda store: store.accept(store.waiting()),
}
# They may be refused when the change itself is made: something of it is left to be done.
TWO_STEPS = ("accept", "forget")


def undo_all(store: MemoryStore) -> dict[str, tuple[bytes, int]]:
    """Take back every change that can be, newest first, and give what is left: what somebody has
    edited by hand since then, and what came before that.
    """
    for entry in reversed(store.history()):
        if not entry.undoes and entry.id not in undone(store.history()):
            with suppress(StoreError):
                store.undo(entry.id)
    return tree(store.directory)


def leaks(directory: Path, secret: str = SECRET) -> list[Path]:
    """Name the files anywhere below that have the secret in their bytes or in their name."""
    found = [path for path in sorted(directory.rglob("*")) if path.is_file()]
    return [path for path in found if secret.encode() in path.read_bytes() + path.name.encode()]


def assert_whole(directory: Path, store: MemoryStore) -> None:
    """Check that what the store promises after an open is so: no leftovers, nothing missing."""
    history = store.history()
    if not history:
        return
    wanted = {sha for entry in history for sha in entry.hashes}
    records = directory / ".memlab"
    assert {path.name for path in (records / "images").iterdir()} == wanted
    assert all(store.content(sha) is not None for sha in wanted)
    assert not store.journal.unfinished
    assert not leftovers(directory)
    if store.history("canoes.md"):
        assert b"Strangers" not in (directory / "canoes.md").read_bytes()
        assert "canoes.md" in {one.file for one in store.waiting()}, "it waits with its change"
    if any(entry.what == "forget" for entry in history):
        assert leaks(directory) == leaks(directory, "door-code") == [], "neither words nor name"
    lines = (records / "journal.jsonl").read_bytes()
    assert lines.count(b'"applied"') == len(history) == lines.count(b'"changes"')
    memories = sorted(name for name in tree(directory) if name.endswith(".md"))
    pointed = parse_pointers((directory / memories.pop(0)).read_bytes().decode())
    assert sorted(one.file for one in pointed) == memories, "one pointer a memory"


def assert_unbroken(store: MemoryStore) -> None:
    """Check that each change saw what the one before it left, and that the files are so now."""
    last: dict[str, str] = {}
    for number, entry in enumerate(store.history(), 1):
        assert (entry.id, entry.kept) == (f"change-{number:04d}", ()), "there was no unknown hand"
        for one in entry.changes:
            assert one.before == last.get(one.file, "")
            last[one.file] = one.after
    now = {name: data for name, (data, _) in tree(store.directory).items() if name[-3:] == ".md"}
    assert now == {file: store.content(sha) for file, sha in last.items() if sha}
