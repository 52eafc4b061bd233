"""A plain model of a memory directory, run beside the store by Hypothesis."""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass
from pathlib import Path

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from memlab.clock import CourseClock
from memlab.memdir.index import parse_pointers
from memlab.memdir.places import INDEX
from tests.faults.disks import in_memory, tree
from tests.faults.scenes import FreeStore

Version = tuple[bytes, int] | None

FILES = st.sampled_from(["a.md", "b.md", "sub/c.md"])
WORDS = st.sampled_from(["one", "two", "three: four", "# five", "sechs ü", "---"])
_EPOCH_DAYS = 86_400 * 1_000_000_000


def text(word: str, hook: str) -> bytes:
    return f"---\nname: N\ndescription: '{hook}'\n---\n{word}\n".encode()


@dataclass
class Done:
    """One change that still stands: which file, what was there before, and after."""

    file: str
    before: Version
    after: Version


class StoreMachine(RuleBasedStateMachine):
    """Writes, removals, undos and edits by hand, in any order."""

    def __init__(self) -> None:
        super().__init__()
        self.room = tempfile.TemporaryDirectory(dir=in_memory())
        self.clock = CourseClock()
        self.store = FreeStore(Path(self.room.name) / "m", clock=self.clock, durable=False)
        self.files: dict[str, Version] = {}
        self.done: list[Done] = []
        self.replaced: set[bytes] = set()
        self.own_lines = 0

    def teardown(self) -> None:
        self.room.cleanup()

    def _now(self) -> int:
        self.clock.advance(1)
        moment = self.clock.now()
        return int(moment.timestamp()) * 1_000_000_000

    def _put(self, file: str, version: Version) -> None:
        old = self.files.get(file)
        if old:
            self.replaced.add(old[0])
        self.files[file] = version

    @rule(file=FILES, word=WORDS, hook=WORDS)
    def write(self, file: str, word: str, hook: str) -> None:
        now, before, data = self._now(), self.files.get(file), text(word, hook)
        if self.store.write_text(file, data).change and (before is None or before[0] != data):
            self.done.append(Done(file, before, (data, now)))
            self._put(file, (data, now))

    @rule(file=FILES)
    def remove(self, file: str) -> None:
        before = self.files.get(file)
        if before:
            self._now()
            self.store.remove(file)
            self.done.append(Done(file, before, None))
            self._put(file, None)

    @precondition(lambda self: self.done)
    @rule()
    def undo(self) -> None:
        self._now()
        last = self.done[-1]
        now, before, after = (
            version[0] if version else None
            for version in (self.files.get(last.file), last.before, last.after)
        )
        undone = self.store.undo()
        if now == after:
            self.done.pop()
            self._put(last.file, last.before)
        elif now == before:
            self.done.pop()
        else:
            assert undone.kept == (last.file,), "edited by hand: left alone, and named"

    @rule(file=FILES, word=WORDS, days=st.integers(1, 20_000))
    def edit_by_hand(self, file: str, word: str, days: int) -> None:
        path = self.store.directory / file
        if path.exists():
            data = text(f"by hand {word}", word)
            path.write_bytes(data)
            os.utime(path, ns=(days * _EPOCH_DAYS,) * 2)
            self.files[file] = (data, days * _EPOCH_DAYS)

    @precondition(lambda self: (self.store.directory / INDEX).exists())
    @rule()
    def add_an_own_line(self) -> None:
        with open(self.store.directory / INDEX, "a", encoding="utf-8") as index:
            index.write(f"own line {self.own_lines}\n")
        self.own_lines += 1

    @rule()
    def open_again(self) -> None:
        self.store = FreeStore(self.store.directory, clock=self.clock, durable=False)

    @invariant()
    def the_files_are_those_of_the_model(self) -> None:
        there = tree(self.store.directory)
        there.pop(INDEX, None)
        assert there == {file: version for file, version in self.files.items() if version}

    @invariant()
    def the_index_points_to_each_memory_once(self) -> None:
        path = self.store.directory / INDEX
        lines = path.read_text(encoding="utf-8") if path.exists() else ""
        pointed = sorted(pointer.file for pointer in parse_pointers(lines))
        assert pointed == sorted(file for file, version in self.files.items() if version)

    @invariant()
    def own_lines_stay(self) -> None:
        path = self.store.directory / INDEX
        lines = path.read_text(encoding="utf-8") if path.exists() else ""
        own = [line for line in lines.splitlines() if line.startswith("own line")]
        assert own == [f"own line {number}" for number in range(self.own_lines)]

    @invariant()
    def whatever_was_replaced_can_be_had_again(self) -> None:
        named = {sha for entry in self.store.history() for sha in entry.hashes}
        contents = {self.store.content(sha) for sha in named}
        assert self.replaced <= contents
