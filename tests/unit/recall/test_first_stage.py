"""The first stage: what it proposes among more memories than a scan lists, and what damage,
other processes and forgetting do to its index.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from memlab.chat.views import recall_lines
from memlab.evals.many import make_memories, make_questions, write_memories
from memlab.memdir.doctor import diagnose
from memlab.memdir.places import STORE_FOLDER, forget_paths
from memlab.memdir.scan import scan_memory_files
from memlab.memdir.store import MemoryStore
from memlab.recall.first_stage import FirstStage, open_first_stage
from memlab.recall.keyword import KeywordIndex, rank_among
from memlab.recall.sqlite import FILE, open_index
from memlab.settings import Settings
from tests.platforms import needs_fork, needs_posix
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
        self.path = directory / STORE_FOLDER / FILE
        opened = partial(open_index, directory, wait=0)
        super().__init__(directory, settings, self.notices.append, opened)

    def best(self, query: str) -> list[str]:
        """Give what keyword ranking finds first among the candidates."""
        proposed = self.propose(query)
        assert proposed is not None
        return names(rank_among(query, proposed.scan, 5, proposed.corpus))

    def candidates(self, query: str, **more: Any) -> list[str]:
        proposed = self.propose(query, **more)
        return names(proposed.scan) if proposed else []


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
    assert "20 of 30 memories" in report.candidates
    assert ("(10 more)", "left out", "not proposed") in report.rows()


@pytest.mark.behaviour("N6")
def test_without_a_model_it_finds_what_ranking_all_files_finds(tmp_path: Path) -> None:
    made = make_memories(400)
    assert made == make_memories(400)
    assert len({one.file for one in made}) == 400
    write_memories(made, tmp_path)
    everything = KeywordIndex(scan_memory_files(tmp_path, Settings(scan_max_files=400)))
    newest = KeywordIndex(scan_memory_files(tmp_path, Settings(scan_max_files=40)))
    sizes = {"scan_max_files": 20, "first_stage_candidates": 40}
    stage = Stage(tmp_path, Settings().with_changes(**sizes))
    questions = make_questions(made, 40)
    for question in questions:
        assert question.file in stage.best(question.text)
        assert question.file in names(everything.rank(question.text, 5))
    hits = [one.file in names(newest.rank(one.text, 5)) for one in questions]
    assert sum(hits) < 12
    assert stage.notices == []


def test_what_matches_comes_first_and_the_newest_fill_up(memory: Path) -> None:
    stage = Stage(memory)
    newest = [f"tide-{number:02}.md" for number in range(20)]
    assert stage.candidates("kettle") == [*newest[:18], "coffee.md", "tea.md"]
    assert stage.candidates("zebra") == stage.candidates("the of") == newest
    write(memory, "ru.md", "где лежит фонарь", days=200)
    write(memory, "zh.md", "我们的灯笼在港口", days=201)
    assert (stage.best("фонарь"), stage.best("灯笼")) == (["ru.md"], ["zh.md"])
    assert stage.best('"lantern" OR tide* NEAR(-kettle) \'; DROP TABLE memory') != []


def test_few_memories_are_scanned_as_ever(memory: Path) -> None:
    assert Stage(memory, SMALL.with_changes(scan_max_files=30)).propose("kettle") is None
    assert Stage(memory / "missing").propose("kettle") is None
    assert not (memory / "missing").exists()


def test_what_is_hidden_or_unreadable_is_named(memory: Path) -> None:
    off = {"tea.md", "tide-10.md"}
    (memory / "bad.md").write_text("---\nname: [\n---\n")
    proposed = Stage(memory).propose("kettle", lambda file: "off" if file in off else "")
    assert proposed is not None
    assert len(proposed.scan) == 19
    assert "coffee.md" in names(proposed.scan)
    assert set(proposed.scan.hidden) == {(file, "off") for file in off}
    assert [file for file, _ in proposed.scan.skipped] == ["bad.md"]


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


def test_what_was_changed_by_hand_is_seen(memory: Path) -> None:
    stage = Stage(memory)
    stage.check()
    write(memory, "sub/zebra.md", "a zebra", days=300)
    (memory / "light.md").unlink()
    assert (stage.best("zebra"), stage.best("lantern")) == (["sub/zebra.md"], [])
    write(memory, "tea.md", "the samovar is broken", days=3)  # in place
    assert stage.best("samovar") == []  # nothing tells that it is another text
    proposed = stage.propose("kettle")
    assert proposed is not None
    shown = {each.filename: each.description for each in proposed.scan}
    assert shown["tea.md"] == "the samovar is broken"
    assert stage.best("samovar") == ["tea.md"]
    os.utime(memory / "tea.md", (10_413_792_000, 10_413_792_000))  # the year 2300
    assert Stage(memory).best("samovar") == ["tea.md"]
    assert stage.notices == []


def _without_a_table(path: Path) -> None:
    with closing(sqlite3.connect(path)) as database:
        database.execute("DROP TABLE memory")


def _linked(path: Path) -> None:
    path.symlink_to(path.rename(path.with_name("elsewhere.sqlite")))


DAMAGES: dict[str, Callable[[Path], object]] = {
    "deleted": Path.unlink,
    "emptied": lambda path: path.write_bytes(b""),
    "another file": lambda path: path.write_bytes(b"no database at all\n" * 900),
    "cut in half": lambda path: os.truncate(path, path.stat().st_size // 2),
    "without a table": _without_a_table,
    "a link": _linked,
}


@needs_posix
@pytest.mark.behaviour("N6")
@pytest.mark.parametrize("how", DAMAGES)
def test_whatever_the_damage_the_answers_are_soon_the_same(memory: Path, how: str) -> None:
    stage = Stage(memory)
    queries = ("lantern", "kettle boat", "tide 3 harbour", "zebra")
    before = [(stage.candidates(query), stage.best(query)) for query in queries]
    DAMAGES[how](stage.path)
    later = Stage(memory)
    later.check()
    assert [(later.candidates(query), later.best(query)) for query in queries] == before
    assert all("deleted, and will be built again" in one for one in later.notices)
    assert len(later.notices) <= 1
    assert not stage.path.is_symlink()
    assert stage.path.stat().st_mode & 0o077 == 0


@needs_posix
@pytest.mark.behaviour("N6")
def test_where_it_cannot_be_used_the_newest_are_seen_and_that_is_said(memory: Path) -> None:
    stage = Stage(memory)
    stage.check()
    session = Session(memory, answering("no"), **SIZES)
    with closing(sqlite3.connect(stage.path, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        report = run(session.recall("lantern", first_stage=stage))
    assert (report.candidates, report.selection.manifest.count("\n")) == ("", 9)
    assert stage.best("lantern") == ["light.md"]
    stage.path.unlink()
    stage.path.mkdir()
    assert stage.propose("lantern") is None
    locked, unusable = stage.notices
    assert "only the newest 10 memories" in locked
    assert "locked" in locked
    assert "first-stage" in unusable


@needs_fork
@pytest.mark.behaviour("N6")
def test_a_writer_that_is_killed_leaves_an_index_that_answers_the_same(memory: Path) -> None:
    before = Stage(memory).candidates("kettle boat")
    child = os.fork()
    if child == 0:
        with open_index(memory) as index:
            index.update([("tea.md", None, []), *((file, (1, 1), []) for file in _endless())])
    os.waitpid(child, 0)
    assert Stage(memory).candidates("kettle boat") == before


def _endless() -> Any:
    yield "light.md"
    os._exit(1)  # in the middle of a transaction


@pytest.mark.behaviour("N6")
def test_the_setting_turns_it_on_and_the_report_names_it(tmp_path: Path) -> None:
    forget_paths()
    house = House(tmp_path / "home")
    for number in range(15):
        write(house.memory, f"tide-{number:02}.md", f"tide {number} of the harbour", days=number)
    write(house.memory, "light.md", "the xylophone of quartzville", days=99)
    off = house.harness("one", settings=SMALL.with_changes(first_stage="off"))
    (said,) = talk(off, "Where is the xylophone of quartzville?")
    assert said.recalled == ()
    assert not (house.memory / STORE_FOLDER / FILE).exists()
    found = diagnose(house.memory).findings
    on = house.harness("two", settings=SMALL)
    assert diagnose(house.memory).findings == found
    (said,) = talk(on, "Where is the xylophone of quartzville?")
    assert said.recalled == ("light.md",)
    assert any("first stage proposed" in line for line in recall_lines(on))


@pytest.mark.parametrize("url", ["", "postgresql://robin:hunter2@127.0.0.1:9/none"])
def test_without_a_server_recall_goes_on_and_no_password_is_shown(
    memory: Path, monkeypatch: pytest.MonkeyPatch, url: str
) -> None:
    monkeypatch.setenv("MEMLAB_POSTGRES", url)
    notices: list[str] = []
    stage = open_first_stage(memory, SMALL.with_changes(first_stage="postgres"), notices.append)
    assert stage is not None
    assert stage.propose("kettle") is None
    assert "only the newest 10 memories" in notices[0]
    assert "hunter2" not in notices[0]
