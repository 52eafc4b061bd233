"""The first stage: what it proposes among more memories than a scan lists, and what damage, other
processes and hands do to its index.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from memlab.evals.many import make_memories, make_questions, write_memories
from memlab.memdir.places import STORE_FOLDER
from memlab.memdir.scan import scan_memory_files
from memlab.memdir.store import MemoryStore
from memlab.recall.first_stage import FirstStage, open_first_stage
from memlab.recall.keyword import KeywordIndex, rank_among
from memlab.recall.sqlite import FILE, open_index
from memlab.settings import Settings
from tests.house import House, talk
from tests.platforms import needs_posix
from tests.unit.recall.helpers import names, write

SIZES = {"scan_max_files": 10, "first_stage_candidates": 20}
SMALL = Settings(first_stage="sqlite").with_changes(**SIZES)


class Stage(FirstStage):
    """The first stage of a directory in one session, with the notices that it gave."""

    def __init__(self, directory: Path, settings: Settings = SMALL) -> None:
        self.notices: list[str] = []
        self.path = directory / STORE_FOLDER / FILE
        opened = partial(open_index, directory, wait=0)
        super().__init__(directory, settings, self.notices.append, opened)

    def best(self, query: str) -> list[str]:
        proposed = self.propose(query)
        assert proposed
        return names(rank_among(query, proposed.scan, 5, proposed.corpus))

    def candidates(self, query: str) -> list[str]:
        proposed = self.propose(query)
        return names(proposed.scan) if proposed else []


@pytest.fixture
def memory(tmp_path: Path) -> Path:
    """Thirty memories; the oldest is about a lantern, and the two next to it about a kettle."""
    folder = tmp_path / "memory"
    write(folder, "light.md", "the lantern of the harbour", days=99)
    write(folder, "tea.md", "the kettle on the boat", days=98)
    write(folder, "coffee.md", "the kettle at home, not on a boat", days=97)
    for number in range(27):
        write(folder, f"tide-{number:02}.md", f"tide {number}, harbour", days=number)
    return folder


@pytest.mark.behaviour("N6")
def test_it_finds_what_the_cap_hides(tmp_path: Path) -> None:
    made = make_memories(120)
    write_memories(made, tmp_path)
    newest = KeywordIndex(scan_memory_files(tmp_path, SMALL))
    stage, questions = Stage(tmp_path), make_questions(made, 12)
    assert all(one.file in stage.best(one.text) for one in questions)
    assert sum(one.file in names(newest.rank(one.text, 5)) for one in questions) < 6
    assert stage.notices == []


@pytest.mark.behaviour("N6")
def test_an_old_memory_reaches_the_conversation(house: House) -> None:
    write_memories(make_memories(15), house.memory)
    write(house.memory, "light.md", "the xylophone of quartzville", days=99)
    for setting, recalled in (("off", ()), ("sqlite", ("light.md",))):
        house.settings = SMALL.with_changes(first_stage=setting)
        harness = house.harness(setting)
        (said,) = talk(harness, "Where is the xylophone of quartzville?")
        assert said.recalled == recalled
        report = harness.recall_report
        assert report
        assert ("16 of 16" in report.candidates) == bool(recalled)
        assert report.selection.manifest.count("\n") == (15 if recalled else 9)


def test_what_matches_comes_first_and_the_newest_fill_up(memory: Path) -> None:
    stage = Stage(memory)
    newest = [f"tide-{number:02}.md" for number in range(20)]
    assert stage.candidates("kettle") == [*newest[:18], "coffee.md", "tea.md"]
    assert stage.candidates("zebra") == stage.candidates("the of") == newest
    write(memory, "zh.md", "我们的灯笼在港口", days=201)
    assert stage.best("灯笼") == ["zh.md"]
    assert stage.best('"lantern" OR tide* NEAR(-kettle) \'; DROP TABLE memory') != []
    few = SMALL.with_changes(scan_max_files=31)
    assert Stage(memory, few).propose("kettle") is None
    assert Stage(memory / "no").propose("kettle") is None
    off = {"tea.md", "tide-10.md"}
    (memory / "bad.md").write_text("---\nname: [\n---\n")
    proposed = stage.propose("kettle", lambda file: "off" if file in off else "")
    assert proposed
    assert "coffee.md" in names(proposed.scan)
    assert {*proposed.scan.hidden} == {(file, "off") for file in off}
    assert [file for file, _ in proposed.scan.skipped] == ["bad.md"]


def test_what_a_process_or_a_hand_changed_is_seen(memory: Path) -> None:
    stage, other = Stage(memory), Stage(memory)
    assert stage.best("kettle") == other.best("kettle") == ["tea.md", "coffee.md"]
    MemoryStore(memory).remove("tea.md")
    for _ in range(2):  # the second time, nothing is left to be noticed
        assert stage.best("kettle") == ["coffee.md"]
    with closing(sqlite3.connect(stage.path, isolation_level=None)) as writer:
        writer.execute("BEGIN IMMEDIATE")
        assert other.best("kettle") == ["coffee.md"]
    write(memory, "sub/zebra.md", "a zebra", days=300)
    (memory / "light.md").unlink()
    assert (stage.best("zebra"), stage.best("lantern")) == (["sub/zebra.md"], [])
    write(memory, "coffee.md", "the samovar is broken", days=3)  # in place
    proposed = stage.propose("kettle")  # what is shown comes from the file
    assert proposed
    assert "the samovar is broken" in [each.description for each in proposed.scan]
    assert stage.best("samovar") == ["coffee.md"]
    assert stage.notices == other.notices == []


DAMAGES: dict[str, Callable[[Path], object]] = {
    "deleted": Path.unlink,
    "emptied": lambda path: path.write_bytes(b""),
    "another file": lambda path: path.write_bytes(b"no database at all\n" * 900),
    "cut in half": lambda path: os.truncate(path, path.stat().st_size // 2),
    "a link": lambda path: path.symlink_to(path.rename(path.with_name("elsewhere"))),
}


@needs_posix
@pytest.mark.behaviour("N6")
@pytest.mark.parametrize("how", DAMAGES)
def test_whatever_the_damage_the_answers_are_soon_the_same(memory: Path, how: str) -> None:
    stage = Stage(memory)
    before = stage.candidates("kettle boat")
    with pytest.raises(ZeroDivisionError), open_index(memory) as index:
        index.update((f"t{n}.md", None, [str(1 // n)]) for n in (1, 0))  # by halves
    assert Stage(memory).candidates("kettle boat") == before
    DAMAGES[how](stage.path)
    if stage.candidates("kettle boat") != before:
        assert "deleted, and will be built again" in stage.notices[0]
    for one in (stage, Stage(memory)):
        assert one.candidates("kettle boat") == before
    assert not stage.path.is_symlink()
    assert stage.path.stat().st_mode & 0o077 == 0


@pytest.mark.behaviour("N6")
def test_where_it_cannot_be_used_the_newest_are_seen_and_that_is_said(
    memory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage = Stage(memory)
    stage.check()
    with closing(sqlite3.connect(stage.path, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        assert stage.propose("lantern") is None
    assert stage.best("lantern") == ["light.md"]
    notices = stage.notices
    for url in ("", "postgresql://robin:hunter2@127.0.0.1:9/none"):
        monkeypatch.setenv("MEMLAB_POSTGRES", url)
        settings = SMALL.with_changes(first_stage="postgres")
        remote = open_first_stage(memory, settings, notices.append)
        assert remote
        assert remote.propose("kettle") is None
    assert ["only the newest 10 memories" in one for one in notices] == [True] * 3
    assert ("locked" in notices[0], "hunter2" in "".join(notices)) == (True, False)
