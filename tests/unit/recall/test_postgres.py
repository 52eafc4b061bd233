"""The first stage on a real PostgreSQL server, in a database that is made for the test.
``MEMLAB_POSTGRES`` is the URL of a superuser.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memlab.evals.many import make_memories, make_questions, write_memories
from memlab.recall import postgres
from memlab.recall.first_stage import erase_from_index, open_first_stage
from memlab.settings import Settings
from tests.platforms import lacking
from tests.unit.recall.helpers import names, write

SETTINGS = Settings(first_stage="postgres").with_changes(scan_max_files=20)
COUNT = "SELECT count(*) FROM memlab.memory"
URL = os.environ.get(postgres.URL, "")


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A database with the table, and one role; what a superuser may do there."""
    if not URL:
        lacking("server", f"{postgres.URL} names no PostgreSQL server")
    import psycopg
    from psycopg.conninfo import make_conninfo

    tables = Path(postgres.__file__).with_suffix(".sql").read_text("utf-8")
    with psycopg.connect(URL, autocommit=True) as admin:
        admin.execute("CREATE DATABASE memlab_test")
        try:
            with psycopg.connect(
                make_conninfo(URL, dbname="memlab_test"), autocommit=True
            ) as inside:
                inside.execute(tables)
                inside.execute(
                    "CREATE ROLE memlab_test_shop LOGIN PASSWORD 'secret' IN ROLE memlab"
                )
                url = make_conninfo(inside.info.dsn, user="memlab_test_shop", password="secret")
                monkeypatch.setenv(postgres.URL, url)
                yield inside
        finally:
            admin.execute("DROP DATABASE memlab_test WITH (FORCE)")
            admin.execute("DROP ROLE IF EXISTS memlab_test_shop, memlab")


@pytest.mark.soak
@pytest.mark.behaviour("N6")
def test_many_projects_on_one_server(
    server: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory, other, notices = tmp_path / "one", tmp_path / "other", list[str]()
    made = make_memories(400)
    write_memories(made, memory)
    write_memories(made[:50], other)
    for folder in (other, memory):
        stage = open_first_stage(folder, SETTINGS, notices.append)
        assert stage
        stage.check()
    for question in make_questions(made, 10):
        proposed = stage.propose(question.text)
        assert proposed
        assert question.file in names(proposed.scan)
    write(memory, "by-hand.md", "我们的灯笼 a xylophone", days=300)
    (memory / made[0].file).unlink()
    for word in ("xylophone", "灯笼"):
        proposed = stage.propose(word)
        assert proposed
        assert "by-hand.md" in names(proposed.scan)
        assert proposed.corpus.memories == 400
    assert erase_from_index(memory, SETTINGS, ["by-hand.md"]) == ""
    assert server.execute(COUNT).fetchone() == (449,)
    assert notices == []

    with server.transaction():
        server.execute("LOCK TABLE memlab.memory")
        assert stage.propose("xylophone") is None
    with server.transaction():  # rows of another role
        server.execute("UPDATE memlab.memory SET owner = 'somebody'")
    assert stage.propose("xylophone")  # they are not seen, and made again
    assert server.execute(COUNT).fetchone() == (449 + 400,)
    monkeypatch.setenv(postgres.URL, server.info.dsn)
    assert stage.propose("xylophone") is None
    assert "lock timeout" in notices[0]
    assert "all roles" in notices[1]
