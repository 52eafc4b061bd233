"""The first stage: what it proposes among more memories than a scan lists, and what damage, other
processes and hands do to its index.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from memlab.evals.many import make_memories, write_memories
from memlab.memdir.places import STORE_FOLDER
from memlab.memdir.store import MemoryStore
from memlab.recall import postgres
from memlab.recall.first_stage import FirstStage, erase_from_index, open_first_stage
from memlab.recall.keyword import rank_among
from memlab.recall.sqlite import FILE, open_index
from memlab.settings import Settings
from tests.house import House, talk
from tests.platforms import lacking, needs_posix
from tests.unit.recall.helpers import names, write

SMALL = Settings(first_stage="sqlite", scan_max_files=10, first_stage_candidates=20)
REMOTE = SMALL.with_changes(first_stage="postgres", first_stage_candidates=50)


class Stage(FirstStage):
    """The first stage of a directory in one session, with the notices that it gave."""

    def __init__(self, directory: Path) -> None:
        self.notices: list[str] = []
        self.path = directory / STORE_FOLDER / FILE
        opened = partial(open_index, directory, wait=0)
        super().__init__(directory, SMALL, self.notices.append, opened)

    def best(self, query: str) -> list[str]:
        proposed = self.propose(query)
        assert proposed
        return names(rank_among(query, proposed.scan, 5, proposed.corpus))


@pytest.fixture
def memory(tmp_path: Path) -> Path:
    """Thirty memories; the oldest is about a lantern, and the two next to it about a kettle."""
    folder = tmp_path / "memory"
    for file, about in (("light", "lantern"), ("tea", "kettle"), ("coffee", "kettle at home")):
        write(folder, f"{file}.md", f"the {about} of the boat", days=98)
    for number in range(27):
        write(folder, f"tide-{number:02}.md", f"tide {number}, harbour", days=number)
    return folder


@pytest.mark.behaviour("N6")
def test_an_old_memory_reaches_the_conversation(house: House) -> None:
    write_memories(make_memories(15), house.memory)
    write(house.memory, "light.md", "the xylophone of quartzville", days=99)
    for setting, recalled in (("off", ()), ("sqlite", ("light.md",))):
        house.settings = SMALL.with_changes(first_stage=setting)
        (said,) = talk(house.harness(setting), "Where is the xylophone of quartzville?")
        assert said.recalled == recalled


def test_what_matches_comes_first_and_the_newest_fill_up(memory: Path) -> None:
    (memory / "bad.md").write_text("---\nname: [\n---\n")
    proposed = Stage(memory).propose("kettle", {"tea.md": "off", "tide-01.md": "off"}.get)
    assert proposed
    newest = [f"tide-{number:02}.md" for number in (0, *range(2, 19))]
    assert names(proposed.scan) == [*newest, "coffee.md"]
    write(memory, "zh.md", "我们的灯笼在港口", days=201)
    assert Stage(memory).best("灯笼") == ["zh.md"]
    assert Stage(memory).best('"lantern" OR tide* NEAR(-kettle) \'; DROP TABLE memory')


def test_what_a_process_or_a_hand_changed_is_seen(memory: Path) -> None:
    stage, other = Stage(memory), Stage(memory)
    assert stage.best("kettle") == other.best("kettle") == ["tea.md", "coffee.md"]
    MemoryStore(memory).remove("tea.md")
    assert stage.best("kettle") == stage.best("kettle") == ["coffee.md"]
    with closing(sqlite3.connect(stage.path, isolation_level=None)) as writer:
        writer.execute("BEGIN IMMEDIATE")
        assert other.best("kettle") == ["coffee.md"]
    (memory / "light.md").unlink()
    assert stage.best("lantern") == []
    write(memory, "coffee.md", "the samovar is broken", days=3)  # in place
    assert stage.best("kettle") == []  # what is shown comes from the file
    assert stage.best("samovar") == ["coffee.md"]


DAMAGES: dict[str, Callable[[Path], object]] = {
    "another file": lambda path: path.write_bytes(b"no database at all\n" * 900),
    "cut in half": lambda path: os.truncate(path, path.stat().st_size // 2),
    "a link": lambda path: path.symlink_to(path.rename(path.with_name("elsewhere"))),
}


@needs_posix
@pytest.mark.behaviour("N6")
@pytest.mark.parametrize("how", DAMAGES)
def test_whatever_the_damage_the_answers_are_soon_the_same(memory: Path, how: str) -> None:
    stage = Stage(memory)
    before = stage.best("kettle boat")
    with pytest.raises(ZeroDivisionError), open_index(memory) as index:
        index.update((f"t{n}.md", None, [str(1 // n)]) for n in (1, 0))  # by halves
    assert Stage(memory).best("kettle boat") == before
    DAMAGES[how](stage.path)
    if stage.propose("kettle boat") is None:
        assert "deleted, and will be built again" in stage.notices[0]
    for one in (stage, Stage(memory)):
        assert one.best("kettle boat") == before != []
    assert not stage.path.is_symlink()
    assert stage.path.stat().st_mode & 0o077 == 0


@pytest.mark.behaviour("N6")
def test_where_it_cannot_be_used_that_is_said(memory: Path, monkeypatch: Any) -> None:
    stage = Stage(memory)
    stage.check()
    with closing(sqlite3.connect(stage.path, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        assert stage.propose("lantern") is None
    assert stage.best("lantern") == ["light.md"]
    notices = stage.notices
    for url in ("", "postgresql://robin:hunter2@127.0.0.1:9/none"):
        monkeypatch.setenv("MEMLAB_POSTGRES", url)
        remote = open_first_stage(memory, REMOTE, notices.append)
        assert remote
        assert remote.propose("kettle") is None
    assert ["only the newest 10 memories" in one for one in notices] == [True] * 3
    assert ("locked" in notices[0], "hunter2" in "".join(notices)) == (True, False)


COUNT, ROLE = "SELECT count(*) FROM memlab.memory", "memlab_test_shop"


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A PostgreSQL database with the table and one role, made by the superuser of the URL in
    ``MEMLAB_POSTGRES``.
    """
    if not (url := os.environ.get(postgres.URL, "")):
        lacking("server", f"{postgres.URL} names no PostgreSQL server")
    import psycopg

    tables = Path(postgres.__file__).with_suffix(".sql").read_text("utf-8")
    inner = psycopg.conninfo.make_conninfo(url, dbname="memlab_test")
    with psycopg.connect(url, autocommit=True) as admin:
        admin.execute("CREATE DATABASE memlab_test")
        try:
            with psycopg.connect(inner, autocommit=True) as inside:
                inside.execute(tables)
                inside.execute(f"CREATE ROLE {ROLE} LOGIN PASSWORD 'secret' IN ROLE memlab")
                role = {"user": ROLE, "password": "secret"}
                own = psycopg.conninfo.make_conninfo(inside.info.dsn, **role)
                monkeypatch.setenv(postgres.URL, own)
                yield inside
        finally:
            admin.execute("DROP DATABASE memlab_test WITH (FORCE)")
            admin.execute(f"DROP ROLE IF EXISTS {ROLE}, memlab")


@pytest.mark.soak
@pytest.mark.behaviour("N6")
def test_projects_share_a_server_and_see_no_row_of_another_role(server: Any, memory: Path) -> None:
    made, notices = make_memories(50), list[str]()
    write_memories(made, memory / "other")
    for folder in (memory / "other", memory):
        stage = open_first_stage(folder, REMOTE, notices.append)
        assert stage
        stage.check()
    proposed = stage.propose("kettle")
    assert proposed
    assert {"tea.md", "coffee.md"} < {*names(proposed.scan)}
    assert erase_from_index(memory, REMOTE, ["tea.md"]) == ""
    assert server.execute(COUNT).fetchone() == (50 + 80 - 1,)
    server.execute("UPDATE memlab.memory SET owner = 'somebody'")
    assert stage.propose("kettle")  # they are not seen, and made again
    assert server.execute(COUNT).fetchone() == (50 + 80 - 1 + 80,)
    assert notices == []
