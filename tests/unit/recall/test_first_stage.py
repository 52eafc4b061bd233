"""The first stage: what it proposes among more memories than a scan lists, and what damage,
other processes and forgetting do to its index.
"""

from __future__ import annotations

import errno
import os
import re
import shutil
import signal
import sqlite3
import stat
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from memlab.recall.sqlite_stage import SqliteIndex

from memlab.evals.many import load_templates, make_memories, make_questions, write_memories
from memlab.memdir.doctor import diagnose
from memlab.memdir.places import forget_paths
from memlab.memdir.scan import scan_memory_files
from memlab.memdir.store import MemoryStore
from memlab.recall import first_stage, sqlite_stage
from memlab.recall.first_stage import (
    FileStamp,
    FirstStage,
    IndexedMemory,
    rare_terms,
)
from memlab.recall.keyword import KeywordIndex, rank_among
from memlab.settings import Settings
from memlab.views import recall_lines
from tests.platforms import needs_posix
from tests.unit.recall.helpers import answering, choosing, names, run, write
from tests.unit.recall.test_recall import Session
from tests.unit.test_harness import House, talk

SMALL = Settings(scan_max_files=10, first_stage_candidates=20, first_stage="sqlite")


@dataclass
class Stage:
    """The first stage of a directory, with the notices that it gave."""

    directory: Path
    settings: Settings = SMALL
    notices: list[str] = field(default_factory=list)
    wait: float = 0.0

    def __post_init__(self) -> None:
        self.index = SqliteIndex(self.directory, wait=self.wait)
        self.stage = self.session()

    def session(self) -> FirstStage:
        """Begin another session in the same directory."""
        return FirstStage(self.directory, self.index, self.settings, self.notices.append)

    def best(self, query: str) -> list[str]:
        """Give what keyword ranking finds first among the candidates."""
        proposed = self.stage.propose(query)
        assert proposed is not None
        return names(rank_among(query, proposed.scan, 5, proposed.corpus))

    def candidates(self, query: str, **more: Any) -> list[str]:
        proposed = self.stage.propose(query, **more)
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


@pytest.fixture
def setup(memory: Path) -> Stage:
    made = Stage(memory)
    made.stage.check()
    return made


class TestCandidates:
    @pytest.mark.behaviour("N6")
    def test_an_old_memory_reaches_the_side_query(self, memory: Path) -> None:
        session = Session(memory, choosing("light.md"), **_changes(SMALL))
        without = run(session.recall("Where is the lantern?"))
        assert without.attachments == ()
        assert without.selection.manifest.count("\n") == 9
        stage = Stage(memory).stage
        report = run(session.recall("Where is the lantern?", first_stage=stage))
        assert [each.filename for each in report.attachments] == ["light.md"]
        assert report.selection.manifest.count("\n") == 19
        assert report.candidates == "SQLite proposed 20 of 30 memories"
        assert ("(10 more)", "left out", "not proposed", "") in report.rows()

    def test_without_a_model_words_find_it_as_among_all_files(self, tmp_path: Path) -> None:
        made = make_memories(400, load_templates())
        write_memories(made, tmp_path)
        settings = Settings(scan_max_files=20, first_stage_candidates=40)
        everything = KeywordIndex(scan_memory_files(tmp_path, Settings(scan_max_files=400)))
        stage = Stage(tmp_path, settings)
        session = Session(tmp_path, answering("no"), **_changes(settings))
        for question in make_questions(made, 30):
            session.surfaced.start_over()
            report = run(session.recall(question.text, first_stage=stage.stage))
            chosen = names(report.selection.chosen)
            assert chosen == names(everything.rank(question.text, 5))
        assert stage.notices == []

    def test_what_matches_comes_first_and_the_newest_fill_up(self, setup: Stage) -> None:
        found = setup.candidates("kettle")
        assert {"tea.md", "coffee.md"} < set(found)
        assert [name for name in found if name.startswith("tide")] == [
            f"tide-{number:02}.md" for number in range(18)
        ]

    def test_a_query_without_a_known_word_gets_the_newest(self, setup: Stage) -> None:
        newest = [f"tide-{number:02}.md" for number in range(20)]
        assert setup.candidates("zebra") == setup.candidates("the of") == newest

    def test_few_memories_are_scanned_as_ever(self, memory: Path) -> None:
        stage = Stage(memory, SMALL.with_changes(scan_max_files=30))
        assert stage.stage.propose("kettle") is None
        assert Stage(memory / "missing").stage.propose("kettle") is None
        assert not (memory / "missing").exists()
        assert stage.notices == []

    def test_what_is_hidden_or_gone_is_replaced_by_the_next(self, setup: Stage) -> None:
        for number in range(10):
            (setup.directory / f"tide-{number:02}.md").unlink()

        def hides(file: str) -> str:
            return "switched off" if file in ("tea.md", "tide-10.md") else ""

        proposed = setup.stage.propose("harbour", hides)
        assert proposed is not None
        found = names(proposed.scan)
        assert len(found) == 18
        assert {"tide-26.md", "coffee.md"} <= set(found)
        assert not {"tea.md", "tide-10.md", "tide-03.md"} & set(found)
        assert set(proposed.scan.hidden) == {
            ("tea.md", "switched off"),
            ("tide-10.md", "switched off"),
        }
        assert len(setup.index.stamps()) == 20

    def test_personal_memories_join_and_push_no_candidate_out(
        self, memory: Path, tmp_path: Path
    ) -> None:
        personal = tmp_path / "personal"
        for number in range(8):
            write(personal, f"me-{number}.md", f"about me {number}", kind="user")
        asked: list[Any] = []
        client = choosing("light.md", asked=asked)
        session = Session(memory, client, **_changes(SMALL))
        report = run(
            session.recall("a lantern", first_stage=Stage(memory).stage, personal=personal)
        )
        assert [each.filename for each in report.attachments] == ["light.md"]
        assert report.selection.manifest.count("personal/") == 8

    def test_terms_of_any_script_are_found(self, memory: Path) -> None:
        write(memory, "ru.md", "где лежит фонарь", days=200)
        write(memory, "zh.md", "灯笼 在 港口", days=201)
        stage = Stage(memory)
        assert stage.best("фонарь") == ["ru.md"]
        assert stage.best("灯笼") == ["zh.md"]
        assert stage.best('"lantern" OR tide* NEAR(-kettle) \'; DROP TABLE memory')[0] in (
            "light.md",
            "tea.md",
        )


def _changes(settings: Settings) -> dict[str, Any]:
    return {
        "scan_max_files": settings.scan_max_files,
        "first_stage_candidates": settings.first_stage_candidates,
    }


class TestRareTerms:
    def test_frequent_terms_are_left_out_while_rarer_ones_remain(self) -> None:
        counts = {"boat": 900, "kettle": 90, "lantern": 9, "zebra": 0}
        assert rare_terms(counts, 98) == ["lantern"]
        assert rare_terms(counts, 99) == ["lantern", "kettle"]
        assert rare_terms(counts, 999) == ["lantern", "kettle", "boat"]
        assert rare_terms({"boat": 900}, 1) == ["boat"]
        assert rare_terms({"zebra": 0}, 1) == []

    def test_the_search_goes_by_it(self, setup: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
        both = [each.file for each in setup.index.search(["kettl", "harbour"], 30)]
        monkeypatch.setattr(sqlite_stage, "MOST_SEARCHED", 5)
        rare = [each.file for each in setup.index.search(["kettl", "harbour"], 30)]
        assert len(both) == 30
        assert rare == ["tea.md", "coffee.md"]


class TestUpToDate:
    def test_a_second_session_reads_no_file(
        self, setup: Stage, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        opened = _count_opened(monkeypatch)
        setup.session().check()
        assert opened == []

    def test_own_writes_are_followed_without_looking_at_all_files(
        self, setup: Stage, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        assert setup.candidates("zebra")
        walks: list[Path] = []
        monkeypatch.setattr(first_stage, "MemoryFiles", walks.append)
        store = MemoryStore(setup.directory)
        done = store.write_text(
            "animals.md",
            "---\nname: Animals\ndescription: a zebra in the market\ntype: user\n---\n\nOne.\n",
            who="user",
        )
        assert setup.best("zebra") == ["animals.md"]
        store.undo(done.change)
        assert setup.best("zebra") == []
        store.remove("tea.md")
        assert setup.best("kettle") == ["coffee.md"]
        assert walks == []

    def test_a_candidate_is_shown_as_its_file_is_now(self, setup: Stage) -> None:
        write(setup.directory, "tea.md", "the kettle is broken", days=3)
        proposed = setup.stage.propose("kettle")
        assert proposed is not None
        shown = {each.filename: each.description for each in proposed.scan}
        assert shown["tea.md"] == "the kettle is broken"
        assert setup.best("broken") == ["tea.md"]

    def test_what_was_changed_by_hand_is_found_from_the_next_session_on(self, setup: Stage) -> None:
        write(setup.directory, "sub/zebra.md", "a zebra", days=300)
        (setup.directory / "light.md").unlink()
        assert setup.best("zebra") == []
        setup.stage = setup.session()
        setup.stage.check()
        assert setup.best("zebra") == ["sub/zebra.md"]
        assert "light.md" not in setup.index.stamps()

    @pytest.mark.parametrize("year", [1700, 2300])
    def test_a_time_that_no_engine_can_store_stops_nothing(self, setup: Stage, year: int) -> None:
        seconds = (year - 1970) * 31_556_952
        os.utime(setup.directory / "light.md", (seconds, seconds))
        setup.stage = setup.session()
        setup.stage.check()
        assert setup.best("lantern") == ["light.md"]
        assert setup.notices == []

    def test_a_file_that_is_no_memory_is_read_once_and_stops_nothing(
        self, setup: Stage, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (setup.directory / "bad.md").write_text("---\nname: [\n---\n")
        setup.session().check()
        opened = _count_opened(monkeypatch)
        setup.session().check()
        assert opened == []
        proposed = setup.stage.propose("bad")
        assert proposed is not None
        assert [name for name, _ in proposed.scan.skipped] == ["bad.md"]


def _count_opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    opened: list[str] = []
    really = first_stage.Folder.open

    def counted(self: Any, filename: str) -> Any:
        if not filename.startswith(".memlab/"):  # the journal may be read
            opened.append(filename)
        return really(self, filename)

    monkeypatch.setattr(first_stage.Folder, "open", counted)
    return opened


def _sql(*statements: str) -> Callable[[Path], None]:
    def damage(path: Path) -> None:
        with closing(sqlite3.connect(path)) as database, database:
            for statement in statements:
                database.execute(statement)

    return damage


def _in_the_middle(path: Path) -> None:
    data = bytearray(path.read_bytes())
    for at in range(4096 + 100, len(data), 1500):
        data[at : at + 40] = b"\xa5" * 40
    path.write_bytes(data)


def _misspelt(path: Path) -> None:
    data = path.read_bytes()
    # in the sorted list of words there is no space in front of it
    data, count = re.subn(rb"(?<! )lantern", b"lanterx", data)
    assert count == 1
    path.write_bytes(data)


def _linked(path: Path) -> None:
    other = path.with_name("elsewhere.sqlite")
    shutil.move(path, other)
    path.symlink_to(other)


DAMAGES: dict[str, Callable[[Path], object]] = {
    "deleted": Path.unlink,
    "emptied": lambda path: path.write_bytes(b""),
    "another file": lambda path: path.write_bytes(b"no database at all\n" * 900),
    "cut in half": lambda path: os.truncate(path, path.stat().st_size // 2),
    "overwritten in the middle": _in_the_middle,
    "with another letter in a word": _misspelt,
    "without a table": _sql("DROP TABLE memory"),
    "without its state": _sql("DELETE FROM state"),
    "without half of the words": _sql("DELETE FROM words_content WHERE id % 2"),
    "without half of the files": _sql("DELETE FROM memory WHERE id % 2"),
    "with words of its own": _sql("UPDATE words_content SET c0 = 'lantern kettl'"),
    "of another version": _sql("PRAGMA user_version = 99"),
    "a link": _linked,
}


class TestDamage:
    @pytest.mark.behaviour("N6")
    @pytest.mark.parametrize("how", DAMAGES)
    def test_the_answers_are_the_same(self, setup: Stage, how: str) -> None:
        queries = ("lantern", "kettle boat", "tide 3 harbour", "zebra")
        before = [(setup.candidates(query), setup.best(query)) for query in queries]
        DAMAGES[how](setup.index.path)
        setup.stage = setup.session()
        setup.stage.check()
        assert [(setup.candidates(query), setup.best(query)) for query in queries] == before
        assert len(setup.notices) <= 1
        assert all("could not be read, so it was built again" in one for one in setup.notices)
        assert not setup.index.path.is_symlink()

    @pytest.mark.parametrize("how", ["deleted", "another file", "without a table", "emptied"])
    def test_in_the_middle_of_a_session_too(self, setup: Stage, how: str) -> None:
        before = setup.candidates("kettle boat")
        DAMAGES[how](setup.index.path)
        assert setup.candidates("kettle boat") == before

    def test_it_cannot_lead_out_of_the_memory(self, setup: Stage, tmp_path: Path) -> None:
        secret = "---\nname: Secret\ndescription: kettle kettle\n---\nx\n"
        (tmp_path / "secret.md").write_text(secret)
        (setup.directory / ".hidden.md").write_text(secret)
        (setup.directory / "way.md").symlink_to(tmp_path / "secret.md")
        planted = ["../secret.md", str(tmp_path / "secret.md"), ".hidden.md", "way.md", "a\0b.md"]
        setup.index.change(
            [IndexedMemory(file, FileStamp(1, 1), ["kettl"] * 3) for file in planted]
        )
        proposed = setup.stage.propose("kettle")
        assert proposed is not None
        assert not set(names(proposed.scan)) & set(planted)
        assert "Secret" not in {each.name for each in proposed.scan}

    def test_where_it_cannot_be_used_the_newest_are_seen_and_that_is_said(
        self, setup: Stage, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        session = Session(setup.directory, answering("no"), **_changes(SMALL))
        with closing(sqlite3.connect(setup.index.path, isolation_level=None)) as other:
            other.execute("BEGIN EXCLUSIVE")
            report = run(session.recall("lantern", first_stage=setup.stage))
        assert report.candidates == ""
        assert report.selection.manifest.count("\n") == 9
        (notice,) = setup.notices
        assert notice.startswith("Recall sees only the newest 10 memories. ")
        assert "database is locked" in notice
        assert "Another program uses it" in notice

    def test_a_python_without_full_text_search_says_so(
        self, memory: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        schema = sqlite_stage._SCHEMA.replace("USING fts5 (", "USING no_fts5 (")
        monkeypatch.setattr(sqlite_stage, "_SCHEMA", schema)
        stage = Stage(memory)
        assert stage.stage.propose("lantern") is None
        assert "has no full-text search (FTS5)" in stage.notices[0]

    def test_a_python_without_sqlite_starts_and_says_so(
        self, house: House, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        house.harness("one", settings=SMALL)
        house.harness()
        house.harness(settings=SMALL)
        monkeypatch.setattr(sqlite_stage, "sqlite3", None)
        for settings in (SMALL, SMALL.with_changes(first_stage="off")):
            harness = house.harness(settings=settings)
            said = harness.forget(f"tide-0{len(settings.first_stage)}.md", for_good=True)
            assert "This Python was built without SQLite" in said
            assert "Delete that index" in said
            without = [one for one in harness.notices if one.startswith("Recall sees only")]
            assert len(without) == (settings.first_stage == "sqlite")

    def test_a_damaged_file_that_cannot_be_deleted_stops_nothing(
        self, setup: Stage, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def refuse(path: Path, missing_ok: bool = False) -> None:
            raise PermissionError(errno.EACCES, "Permission denied", str(path))

        setup.index.path.write_bytes(b"no database at all\n" * 900)
        monkeypatch.setattr(Path, "unlink", refuse)
        assert setup.stage.propose("lantern") is None
        assert "cannot be used: Permission denied" in setup.notices[0]

    @needs_posix
    @pytest.mark.parametrize("what", ["index", "folder", "journal"])
    def test_something_else_in_its_place_stops_nothing(self, memory: Path, what: str) -> None:
        index = SqliteIndex(memory).path
        if what != "folder":
            index.parent.mkdir()
        if what == "folder":
            index.parent.write_text("not a folder")
        elif what == "index":
            index.mkdir()
        else:
            index.write_text("no database at all\n" * 900)
            index.with_name("first-stage.sqlite-journal").mkdir()
        stage = Stage(memory)
        stage.stage.check()
        assert stage.stage.propose("lantern") is None
        assert all(one.startswith("Recall sees only the newest 10") for one in stage.notices)

    @needs_posix
    def test_a_pipe_in_its_place_is_not_waited_for(self, setup: Stage) -> None:
        setup.index.path.unlink()
        os.mkfifo(setup.index.path)
        setup.stage = setup.session()
        setup.stage.check()
        setup.candidates("lantern")

    @needs_posix
    def test_nobody_else_may_read_it(self, setup: Stage) -> None:
        assert stat.S_IMODE(setup.index.path.stat().st_mode) == 0o600


class TestProcesses:
    @needs_posix
    @pytest.mark.behaviour("N6")
    @pytest.mark.parametrize("calls", [1, 17, 30])
    def test_a_writer_that_is_killed_leaves_an_index_that_answers_the_same(
        self, memory: Path, calls: int
    ) -> None:
        whole = Stage(memory)
        before = [whole.candidates(query) for query in ("lantern", "kettle boat")]
        whole.index.path.unlink()
        _until_killed(lambda: Stage(memory).stage.check(), sqlite_stage, "_add", calls)
        after = Stage(memory)
        assert [after.candidates(query) for query in ("lantern", "kettle boat")] == before
        assert after.notices == []

    def test_two_sessions_share_the_index(self, setup: Stage) -> None:
        other = Stage(setup.directory)
        store = MemoryStore(setup.directory)
        store.remove("tea.md")
        assert setup.best("kettle") == ["coffee.md"]
        assert other.best("kettle") == ["coffee.md"]
        with closing(sqlite3.connect(setup.index.path, isolation_level=None)) as writer:
            writer.execute("BEGIN IMMEDIATE")
            assert other.best("kettle") == ["coffee.md"]
        assert setup.notices == other.notices == []


def _until_killed(work: Callable[[], object], module: Any, name: str, calls: int) -> None:
    """Let a child work until it has called a function so often, and kill it there."""
    child = os.fork()
    if child == 0:
        really = getattr(module, name)
        count = 0

        def killing(*values: Any) -> Any:
            nonlocal count
            count += 1
            if count == calls:
                os.kill(os.getpid(), signal.SIGKILL)
            return really(*values)

        setattr(module, name, killing)
        try:
            work()
        finally:
            os._exit(1)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status)


@pytest.fixture
def house(tmp_path: Path) -> House:
    forget_paths()
    made = House(tmp_path / "home")
    for number in range(15):
        write(made.memory, f"tide-{number:02}.md", f"tide {number} of the harbour", days=number)
    write(made.memory, "light.md", "the xylophone of quartzville", days=99)
    return made


class TestInAConversation:
    @pytest.mark.behaviour("N6")
    def test_the_setting_turns_it_on_and_the_report_names_it(self, house: House) -> None:
        off = house.harness("one", settings=SMALL.with_changes(first_stage="off"))
        (said,) = talk(off, "Where is the xylophone of quartzville?")
        assert said.recalled == ()
        assert not SqliteIndex(house.memory).path.exists()
        found = diagnose(house.memory).findings
        on = house.harness("two", settings=SMALL)
        assert SqliteIndex(house.memory).path.exists()
        assert diagnose(house.memory).findings == found
        (said,) = talk(on, "Where is the xylophone of quartzville?")
        assert said.recalled == ("light.md",)
        assert any("SQLite proposed" in line for line in recall_lines(on))

    @pytest.mark.parametrize("first_stage", ["sqlite", "off"])
    def test_forgetting_for_good_leaves_no_byte_of_it_in_the_index(
        self, house: House, first_stage: str
    ) -> None:
        before = house.harness("one", settings=SMALL)
        before.store.write_text(
            "vexillology.md",
            "---\nname: Vexillology\ndescription: about the gonfalon\ntype: user\n---\n\nx\n",
            who="user",
        )
        before.store.write_text(
            "vexillology.md",
            "---\nname: Vexillology\ndescription: about the oriflamme\ntype: user\n---\n\nx\n",
            who="user",
        )
        talk(before, "gonfalon and oriflamme?")
        path = SqliteIndex(house.memory).path
        assert b"vexillolog" in path.read_bytes()
        assert b"oriflam" in path.read_bytes()
        harness = house.harness("two", settings=SMALL.with_changes(first_stage=first_stage))
        said = harness.forget("vexillology.md", for_good=True)
        assert "search index" not in said
        assert "first-stage" not in said
        for file in path.parent.glob("first-stage*"):
            data = file.read_bytes()
            for word in (b"vexillolog", b"gonfalon", b"oriflam"):
                assert word not in data
        again = house.harness("three", settings=SMALL)
        assert again.first_stage is not None
        assert "light.md" in names(again.first_stage.propose("xylophone").scan)

    def test_an_index_that_cannot_be_emptied_is_named(self, house: House) -> None:
        harness = house.harness("one", settings=SMALL)
        harness.store.write_text(
            "light.md", "---\nname: L\ndescription: gonfalon\ntype: user\n---\n\nx\n", who="user"
        )
        assert harness.first_stage is not None
        index = harness.first_stage._index
        assert isinstance(index, SqliteIndex)
        index._wait = 0.0
        with closing(sqlite3.connect(index.path, isolation_level=None)) as other:
            other.execute("BEGIN EXCLUSIVE")
            said = harness.forget("light.md", for_good=True)
        assert "The search index of recall may still contain its words." in said
        assert "first-stage.sqlite" in said
