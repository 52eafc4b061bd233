"""The first stage: what it proposes among more memories than a scan lists, and what damage,
other processes and forgetting do to its index.
"""

from __future__ import annotations

import os
import signal
import sqlite3
import stat
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from memlab.evals.many import load_templates, make_memories, make_questions, write_memories
from memlab.memdir.doctor import diagnose
from memlab.memdir.places import forget_paths
from memlab.memdir.scan import scan_memory_files
from memlab.memdir.store import MemoryStore
from memlab.recall import first_stage
from memlab.recall.first_stage import FirstStage
from memlab.recall.keyword import KeywordIndex, rank_among
from memlab.settings import Settings
from tests.platforms import needs_posix
from tests.unit.recall.helpers import answering, choosing, names, run, write
from tests.unit.recall.test_recall import Session
from tests.unit.test_harness import House, talk

SIZES = {"scan_max_files": 10, "first_stage_candidates": 20}
SMALL = Settings(first_stage="sqlite").with_changes(**SIZES)
ZEBRA = "---\nname: Animals\ndescription: a zebra in the market\ntype: user\n---\n\nOne.\n"


class Stage(FirstStage):
    """The first stage of a directory in one session, with the notices that it gave."""

    def __init__(self, directory: Path, settings: Settings = SMALL) -> None:
        self.notices: list[str] = []
        super().__init__(directory, settings, self.notices.append, wait=0)

    def best(self, query: str) -> list[str]:
        """Give what keyword ranking finds first among the candidates."""
        proposed = self.propose(query)
        assert proposed is not None
        return names(rank_among(query, proposed.scan, 5, proposed.corpus))

    def candidates(self, query: str, **more: Any) -> list[str]:
        proposed = self.propose(query, **more)
        return names(proposed.scan) if proposed else []

    def files(self) -> set[str]:
        """Name what is in the index."""
        with self.open() as index:
            return {file for (file,) in index.execute("SELECT file FROM memory")}


@pytest.fixture
def memory(tmp_path: Path) -> Path:
    """Thirty memories; the oldest is about a lantern, and the two next to it about a kettle."""
    folder = tmp_path / "memory"
    write(folder, "light.md", "the lantern of the harbour", days=99)
    write(folder, "tea.md", "the kettle on the boat", days=98)
    write(folder, "coffee.md", "the kettle at home, not on a boat", days=97)
    for number in range(27):
        write(folder, f"tide-{number:02}.md", f"tide {number} of the harbour", days=number)
    return folder


@pytest.mark.behaviour("N6")
def test_an_old_memory_reaches_the_side_query(memory: Path) -> None:
    session = Session(memory, choosing("light.md"), **SIZES)
    assert run(session.recall("Where is the lantern?")).attachments == ()
    report = run(session.recall("Where is the lantern?", first_stage=Stage(memory)))
    assert [each.filename for each in report.attachments] == ["light.md"]
    assert report.selection.manifest.count("\n") == 19
    assert report.candidates == "SQLite proposed 20 of 30 memories"
    assert ("(10 more)", "left out", "not proposed") in report.rows()


@pytest.mark.behaviour("N6")
def test_without_a_model_words_find_it_as_among_all_files(tmp_path: Path) -> None:
    made = make_memories(400, load_templates())
    write_memories(made, tmp_path)
    everything = KeywordIndex(scan_memory_files(tmp_path, Settings(scan_max_files=400)))
    sizes = {"scan_max_files": 20, "first_stage_candidates": 40}
    stage = Stage(tmp_path, Settings().with_changes(**sizes))
    session = Session(tmp_path, answering("no"), **sizes)
    for question in make_questions(made, 30):
        session.surfaced.files.clear()
        report = run(session.recall(question.text, first_stage=stage))
        assert names(report.selection.chosen) == names(everything.rank(question.text, 5))
    assert stage.notices == []


def test_what_matches_comes_first_and_the_newest_fill_up(memory: Path) -> None:
    stage = Stage(memory)
    found = stage.candidates("kettle")
    newest = [f"tide-{number:02}.md" for number in range(20)]
    assert found == [*newest[:18], "coffee.md", "tea.md"]
    assert stage.candidates("zebra") == stage.candidates("the of") == newest
    write(memory, "ru.md", "где лежит фонарь", days=200)
    write(memory, "zh.md", "我们的灯笼在港口", days=201)
    stage.check()
    assert (stage.best("фонарь"), stage.best("灯笼")) == (["ru.md"], ["zh.md"])
    assert stage.best('"lantern" OR tide* NEAR(-kettle) \'; DROP TABLE memory') != []


def test_few_memories_are_scanned_as_ever(memory: Path) -> None:
    assert Stage(memory, SMALL.with_changes(scan_max_files=30)).propose("kettle") is None
    assert Stage(memory / "missing").propose("kettle") is None
    assert not (memory / "missing").exists()


def test_what_is_hidden_or_gone_is_replaced_by_the_next(memory: Path) -> None:
    stage = Stage(memory)
    stage.check()
    for number in range(10):
        (memory / f"tide-{number:02}.md").unlink()
    off = {"tea.md", "tide-10.md"}
    proposed = stage.propose("harbour", lambda file: "off" if file in off else "")
    assert proposed is not None
    assert len(proposed.scan) == 18
    assert {"tide-26.md", "coffee.md"} <= set(names(proposed.scan))
    assert set(proposed.scan.hidden) == {(file, "off") for file in off}
    stage.check()
    assert len(stage.files()) == 20


def test_own_writes_are_found_at_once_by_every_process(memory: Path) -> None:
    stage, other = Stage(memory), Stage(memory)
    for one in (stage, other):
        one.check()
    store = MemoryStore(memory)
    done = store.write_text("animals.md", ZEBRA, who="user")
    assert stage.best("zebra") == other.best("zebra") == ["animals.md"]
    store.undo(done.change)
    store.remove("tea.md")
    assert (stage.best("zebra"), stage.best("kettle")) == ([], ["coffee.md"])
    with closing(sqlite3.connect(stage.path, isolation_level=None)) as writer:
        writer.execute("BEGIN IMMEDIATE")
        assert other.best("kettle") == ["coffee.md"]
    assert stage.notices == other.notices == []


def test_what_was_changed_by_hand_is_shown_as_it_is_and_found_from_the_next_session_on(
    memory: Path,
) -> None:
    stage = Stage(memory)
    stage.check()
    write(memory, "tea.md", "the kettle is broken", days=3)
    write(memory, "sub/zebra.md", "a zebra", days=300)
    (memory / "bad.md").write_text("---\nname: [\n---\n")
    proposed = stage.propose("kettle")
    assert proposed is not None
    shown = {each.filename: each.description for each in proposed.scan}
    assert shown["tea.md"] == "the kettle is broken"
    assert (stage.best("broken"), stage.best("zebra")) == ([], [])
    later = Stage(memory)
    assert later.best("zebra") == ["sub/zebra.md"]
    proposed = later.propose("bad")
    assert proposed is not None
    assert [name for name, _ in proposed.scan.skipped] == ["bad.md"]
    os.utime(memory / "light.md", (10_413_792_000, 10_413_792_000))  # the year 2300
    assert Stage(memory).best("lantern") == ["light.md"]


def _without_a_table(path: Path) -> None:
    with closing(sqlite3.connect(path)) as database:
        database.execute("DROP TABLE memory")


def _of_another_version(path: Path) -> None:
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA user_version = 1")


def _linked(path: Path) -> None:
    path.symlink_to(path.rename(path.with_name("elsewhere.sqlite")))


DAMAGES: dict[str, Callable[[Path], object]] = {
    "deleted": Path.unlink,
    "emptied": lambda path: path.write_bytes(b""),
    "another file": lambda path: path.write_bytes(b"no database at all\n" * 900),
    "cut in half": lambda path: os.truncate(path, path.stat().st_size // 2),
    "without a table": _without_a_table,
    "of another version": _of_another_version,
    "a link": _linked,
}


@needs_posix
@pytest.mark.behaviour("N6")
@pytest.mark.parametrize("how", DAMAGES)
def test_whatever_the_damage_the_answers_are_the_same(memory: Path, how: str) -> None:
    stage = Stage(memory)
    queries = ("lantern", "kettle boat", "tide 3 harbour", "zebra")
    before = [(stage.candidates(query), stage.best(query)) for query in queries]
    DAMAGES[how](stage.path)
    later = Stage(memory)
    assert [(later.candidates(query), later.best(query)) for query in queries] == before
    assert [(stage.candidates(query), stage.best(query)) for query in queries] == before
    assert all("could not be read, so it was built again" in one for one in later.notices)
    assert len(later.notices) <= 1
    assert not stage.path.is_symlink()
    assert stat.S_IMODE(stage.path.stat().st_mode) == 0o600


@needs_posix
def test_where_it_cannot_be_used_the_newest_are_seen_and_that_is_said(memory: Path) -> None:
    stage = Stage(memory)
    stage.check()
    session = Session(memory, answering("no"), **SIZES)
    with closing(sqlite3.connect(stage.path, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        report = run(session.recall("lantern", first_stage=stage))
    assert (report.candidates, report.selection.manifest.count("\n")) == ("", 9)
    stage.path.unlink()
    stage.path.mkdir()
    assert stage.propose("lantern") is None
    locked, unusable = stage.notices
    assert locked.startswith("Recall sees only the newest 10 memories. ")
    assert "database is locked. Another program uses it" in locked
    assert "cannot be used: unable to open database file" in unusable


@needs_posix
@pytest.mark.behaviour("N6")
@pytest.mark.parametrize("calls", [1, 17, 30])
def test_a_writer_that_is_killed_leaves_an_index_that_answers_the_same(
    memory: Path, calls: int
) -> None:
    stage = Stage(memory)
    before = [stage.candidates(query) for query in ("lantern", "kettle boat")]
    stage.path.unlink()
    child = os.fork()
    if child == 0:
        really, count = first_stage._add, [0]

        def killing(*values: Any) -> None:
            count[0] += 1
            if count[0] == calls:
                os.kill(os.getpid(), signal.SIGKILL)
            really(*values)

        first_stage._add = killing
        try:
            Stage(memory).check()
        finally:
            os._exit(1)
    assert os.WIFSIGNALED(os.waitpid(child, 0)[1])
    after = Stage(memory)
    assert [after.candidates(query) for query in ("lantern", "kettle boat")] == before
    assert after.notices == []


@pytest.fixture
def house(tmp_path: Path) -> House:
    forget_paths()
    made = House(tmp_path / "home")
    for number in range(15):
        write(made.memory, f"tide-{number:02}.md", f"tide {number} of the harbour", days=number)
    write(made.memory, "light.md", "the xylophone of quartzville", days=99)
    return made


@pytest.mark.behaviour("N6")
def test_the_setting_turns_it_on_and_the_report_names_it(house: House) -> None:
    off = house.harness("one", settings=SMALL.with_changes(first_stage="off"))
    (said,) = talk(off, "Where is the xylophone of quartzville?")
    assert said.recalled == ()
    assert not FirstStage(house.memory, SMALL).path.exists()
    found = diagnose(house.memory).findings
    on = house.harness("two", settings=SMALL)
    assert diagnose(house.memory).findings == found
    (said,) = talk(on, "Where is the xylophone of quartzville?")
    assert said.recalled == ("light.md",)
    assert on.recall_report
    assert "SQLite proposed" in on.recall_report.candidates


@pytest.mark.parametrize("setting", ["sqlite", "off"])
def test_forgetting_for_good_leaves_no_byte_of_it_in_the_index(house: House, setting: str) -> None:
    before = house.harness("one", settings=SMALL)
    for word in ("gonfalon", "oriflamme"):
        text = ZEBRA.replace("Animals", "Vexillology").replace("zebra", word)
        before.store.write_text("vexillology.md", text, who="user")
        talk(before, f"{word}?")
    path = FirstStage(house.memory, SMALL).path
    stems = (b"vexillolog", b"gonfalon", b"oriflam")
    assert all(one in path.read_bytes() for one in stems)
    harness = house.harness("two", settings=SMALL.with_changes(first_stage=setting))
    assert "search index" not in harness.forget("vexillology.md", for_good=True)
    for file in path.parent.glob("first-stage*"):
        assert not any(one in file.read_bytes() for one in stems)
    assert "light.md" in Stage(house.memory).candidates("xylophone")


def test_an_index_that_cannot_be_emptied_is_named(house: House) -> None:
    harness = house.harness("one", settings=SMALL)
    harness.first_stage = Stage(house.memory)
    harness.first_stage.check()
    with closing(sqlite3.connect(harness.first_stage.path, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        said = harness.forget("light.md", for_good=True)
    assert "The search index of recall may still contain its words." in said
    assert "Delete that index" in said
