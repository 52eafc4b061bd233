"""The first stage on a real PostgreSQL server: the same answers, many projects, nothing shared, and
a server that is restarted, killed or gone.

All of it belongs to the nightly tier.
"""

from __future__ import annotations

import json
import os
import random
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from memlab.cli import postgres
from memlab.memdir.paths import forget_paths
from memlab.memdir.scan import MemoryHeader
from memlab.recall.first_stage import (
    FileStamp,
    FirstStage,
    IndexedMemory,
    IndexUnavailableError,
    Proposal,
)
from memlab.recall.keyword import KeywordIndex, searched_text
from memlab.recall.postgres_client import connect
from memlab.recall.postgres_server import add_project, set_up
from memlab.recall.postgres_stage import PostgresIndex
from memlab.settings import Settings
from memlab.text import terms_of, words
from memlab.views import recall_lines
from tests.faults.postgres import ADMIN, Server
from tests.platforms import needs_posix
from tests.unit.test_harness import House, talk

pytestmark = [pytest.mark.soak, needs_posix, pytest.mark.behaviour("N6")]

WORDS = words("""
    anchor barge beacon berth buoy cable canal cargo chart coast crane current deck dock ferry fleet
    harbour hull island jetty keel lantern lighthouse mast mooring pier pilot port quay rigging
    rudder sail schedule ship signal storm tide timetable tug vessel warehouse wave wind yard
    """)


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    server = Server()
    try:
        with connect(server.admin) as admin:
            set_up(admin)
            set_up(admin)  # once more changes nothing
        yield server
    finally:
        server.remove()


class Projects:
    """Roles on the server: each name gets a connection string when it is first asked for."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.passwords: dict[str, str] = {}

    def __call__(self, name: str) -> str:
        if name not in self.passwords:
            with connect(self.server.admin) as admin:
                _, self.passwords[name] = add_project(admin, name)
        folder = self.server.folder
        return f"host={folder} dbname=postgres user=memlab_{name} password={self.passwords[name]}"


@pytest.fixture(scope="module")
def projects(server: Server) -> Projects:
    return Projects(server)


def memory(number: int, chance: random.Random) -> MemoryHeader:
    name = " ".join(chance.choices(WORDS, k=chance.randint(1, 4)))
    described = " ".join(chance.choices(WORDS, k=chance.randint(0, 12)))
    file = f"note_{number:06}.md"
    when = datetime.fromtimestamp(1_700_000_000 + number // 3, UTC)
    return MemoryHeader(Path("/memory", file), file, when, name, described, None)


def indexed(header: MemoryHeader) -> IndexedMemory:
    stamp = FileStamp(int(header.mtime.timestamp()) * 10**9, 500)
    return IndexedMemory(header.filename, stamp, terms_of(searched_text(header)))


def files(proposals: list[Proposal]) -> list[str]:
    return [each.file for each in proposals]


class TestEngine:
    def test_it_finds_what_keyword_ranking_finds_in_the_same_order(
        self, projects: Projects, tmp_path: Path
    ) -> None:
        chance = random.Random(1)
        headers = [memory(number, chance) for number in range(2_500)]
        index = PostgresIndex(projects("ranking"), tmp_path)
        index.change([indexed(each) for each in headers], position="7")
        ranking = KeywordIndex(headers)
        for _ in range(60):
            query = " ".join(chance.choices(WORDS, k=chance.randint(1, 10)))
            terms = terms_of(query)
            expected = [each.filename for each in ranking.rank(query, 200)]
            assert files(index.search(terms, 200)) == expected
        corpus = index.corpus(["ship", "zeppelin"])
        counted = [each for each in headers if "ship" in terms_of(searched_text(each))]
        assert corpus.memories == 2_500
        assert corpus.terms == sum(len(terms_of(searched_text(each))) for each in headers)
        assert corpus.containing == {"ship": len(counted), "zeppelin": 0}
        newest = sorted(headers, key=lambda each: (-each.mtime.timestamp(), each.filename))
        assert files(index.newest(20)) == [each.filename for each in newest[:20]]

    def test_changes_replace_and_remove_and_keep_the_position(
        self, projects: Projects, tmp_path: Path
    ) -> None:
        index = PostgresIndex(projects("changes"), tmp_path)
        assert (index.stamps(), index.position(), index.search(["tide"], 5)) == ({}, "", [])
        first = IndexedMemory("a.md", FileStamp(1, 10), ["tide", "tide", "table"])
        later = IndexedMemory("a.md", FileStamp(2, 11), ["harbour"])
        index.change([first], position="12")
        index.change([first, later], remove=["never-there.md"])
        assert (index.stamps(), index.position()) == ({"a.md": FileStamp(2, 11)}, "12")
        assert index.search(["tide"], 5) == []
        assert files(index.search(["harbour"], 5)) == ["a.md"]
        index.change(remove=["a.md"], position="13")
        assert (index.stamps(), index.position()) == ({}, "13")

    @pytest.mark.parametrize(
        "term", ["naïve", "潮汐", "o'clock", "back\\slash", "':*|&!()", "😀", "x" * 5_000]
    )
    def test_any_term_and_any_file_name_is_taken(
        self, projects: Projects, tmp_path: Path, term: str
    ) -> None:
        index = PostgresIndex(projects("names"), tmp_path)
        name = f"{term[:9]}\udce9'\"\\\n.md"  # with a byte that is not UTF-8
        index.change([IndexedMemory(name, FileStamp(1, 2), [term, "tide"])])
        assert files(index.search(["tide"], 9)) == [name]
        assert index.corpus([term]).containing.keys() == {term}
        found = [name] if len(term) < 2_000 else []
        assert files(index.search([term], 9)) == found
        index.change(remove=[name])
        assert index.stamps() == {}

    def test_two_directories_of_one_project_do_not_mix(
        self, projects: Projects, tmp_path: Path
    ) -> None:
        one, other = (PostgresIndex(projects("two"), tmp_path / name) for name in "ab")
        one.change([IndexedMemory("a.md", FileStamp(1, 1), ["tide"])], position="1")
        assert (other.stamps(), other.position(), other.search(["tide"], 5)) == ({}, "", [])
        other.change(remove=["a.md"])
        assert files(one.search(["tide"], 5)) == ["a.md"]

    def test_words_are_gone_from_the_servers_tables_after_vacuum_and_not_before(
        self, server: Server, projects: Projects, tmp_path: Path, capsys: Any
    ) -> None:
        index = PostgresIndex(projects("erased"), tmp_path)
        index.change([IndexedMemory("zanzibar.md", FileStamp(1, 1), ["quokka", "tide"])])
        problem = FirstStage(tmp_path, index, Settings()).erase(["zanzibar.md"])
        assert "the rows are deleted, but" in problem
        assert "python3 -m memlab postgres vacuum" in problem
        assert projects.passwords["erased"] not in problem
        assert index.stamps() == {}
        server.connect().execute("CHECKPOINT")
        assert server.files_with(b"quokka")
        assert postgres.main(["vacuum", "--server", server.admin]) == 0
        assert "write-ahead log" in capsys.readouterr().out
        assert server.files_with(b"quokka") == server.files_with(b"zanzibar.md") == []


@pytest.fixture(scope="class")
def attacker(
    server: Server, projects: Projects, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Any]:
    """A connection of one project, on a server where another project has a secret.

    What the secret's owner sees is as before after all attacks.
    """
    victim = PostgresIndex(projects("victim"), tmp_path_factory.mktemp("victim"))
    secret = [
        IndexedMemory(f"plutonium-{n}.md", FileStamp(7_777, n), ["plutonium", f"alpha{n}"])
        for n in range(300)
    ]
    victim.change(secret, position="plutonium")
    own = PostgresIndex(projects("attacker"), tmp_path_factory.mktemp("attacker"))
    own.change([IndexedMemory("own.md", FileStamp(1, 1), ["own"])])
    server.connect().execute("ANALYZE")
    with server.connect("memlab_attacker", projects.passwords["attacker"]) as connection:
        yield connection
    assert len(victim.stamps()) == 300
    assert victim.position() == "plutonium"
    assert len(victim.search(["plutonium"], 500)) == 300


class TestIsolation:
    """A role that does not use our queries, but writes its own."""

    @pytest.mark.parametrize(
        "statement",
        [
            "SELECT * FROM memlab.memory",
            "SELECT * FROM memlab.memory WHERE project = 'memlab_victim'",
            "SELECT * FROM memlab.memory WHERE project <> current_user OR true",
            "SELECT * FROM memlab.directory",
            "SELECT count(*) FROM memlab.memory WHERE terms @@ 'plutonium' HAVING count(*) > 0",
            "TABLE memlab.memory",
            "COPY memlab.memory TO STDOUT",
            "COPY (SELECT * FROM memlab.memory) TO STDOUT",
            "COPY memlab.memory TO '/tmp/memlab-stolen'",
            "COPY memlab.memory TO PROGRAM 'cat'",
            "SET row_security = off; SELECT * FROM memlab.memory",
            "SET ROLE memlab_victim; SELECT * FROM memlab.memory",
            "SET ROLE harbourmaster; SELECT * FROM memlab.memory",
            "SET SESSION AUTHORIZATION memlab_victim; SELECT * FROM memlab.memory",
            "SELECT set_config('role', 'memlab_victim', false)",
            "GRANT memlab_victim TO memlab_attacker",
            "ALTER ROLE memlab_attacker BYPASSRLS",
            "ALTER TABLE memlab.memory DISABLE ROW LEVEL SECURITY",
            "ALTER TABLE memlab.memory OWNER TO memlab_attacker",
            "DROP POLICY own_rows ON memlab.memory",
            "CREATE POLICY mine ON memlab.memory USING (true)",
            "CREATE VIEW memlab.seen AS SELECT * FROM memlab.memory",
            "CREATE TEMP VIEW seen AS SELECT * FROM memlab.memory; SELECT * FROM seen",
            "CREATE TEMP TABLE taken AS SELECT * FROM memlab.memory; SELECT * FROM taken",
            "CREATE FUNCTION pg_temp.leak(bytea) RETURNS bool COST 0.0000001 LANGUAGE plpgsql AS"
            " $$BEGIN RAISE NOTICE '%', convert_from($1, 'UTF8'); RETURN true; END$$;"
            " SELECT * FROM memlab.memory WHERE pg_temp.leak(file)",
            "SELECT * FROM memlab.memory WHERE 1 / (size - size) = 1 AND mtime_ns = 7777",
            "CREATE TEMP TABLE child (CHECK (true)) INHERITS (memlab.memory)",
            "CREATE TEMP TABLE refers (p text, q uuid, f bytea, FOREIGN KEY (p, q, f)"
            " REFERENCES memlab.memory)",
            "CREATE RULE seen AS ON SELECT TO memlab.memory DO INSTEAD SELECT 1",
            "CREATE TRIGGER seen AFTER INSERT ON memlab.memory FOR EACH ROW EXECUTE FUNCTION x()",
            "TRUNCATE memlab.memory",
            "TRUNCATE memlab.directory",
            "DELETE FROM memlab.memory WHERE project = 'memlab_victim'"
            " RETURNING convert_from(file, 'UTF8')",
            "UPDATE memlab.memory SET project = current_user WHERE project <> current_user"
            " RETURNING convert_from(file, 'UTF8')",
            "UPDATE memlab.memory SET project = 'memlab_victim'",
            "UPDATE memlab.directory SET position = 'mine' WHERE project = 'memlab_victim'"
            " RETURNING position",
            "SELECT most_common_vals, most_common_elems FROM pg_stats WHERE schemaname = 'memlab'",
            "SELECT * FROM pg_statistic",
            "SELECT query FROM pg_stat_activity WHERE usename <> current_user",
            "SELECT rolpassword FROM pg_authid",
            "SELECT pg_read_file('pg_hba.conf')",
            "SELECT lo_import('/etc/passwd')",
            "EXPLAIN (ANALYZE, VERBOSE) SELECT * FROM memlab.memory WHERE terms @@ 'plutonium'",
        ],
    )
    def test_no_statement_shows_or_changes_another_projects_rows(
        self, attacker: Any, statement: str
    ) -> None:
        import psycopg

        seen: list[str] = []
        attacker.add_notice_handler(lambda notice: seen.append(notice.message_primary))
        try:
            if statement.startswith("COPY"):
                with attacker.cursor().copy(statement) as copy:
                    seen += [bytes(block).decode() for block in copy]
            else:
                cursor = attacker.execute(statement)
                while True:
                    if cursor.description:
                        seen += [repr(row) for row in cursor.fetchall()]
                    if not cursor.nextset():
                        break
        except psycopg.Error as error:
            seen.append(str(error))
        finally:
            attacker.execute("RESET ALL; RESET ROLE; DISCARD TEMP")
        shown = "\n".join(seen).replace("'plutonium'", "")
        assert "plutonium" not in shown
        assert "alpha" not in shown
        assert "7777" not in shown
        assert b"plutonium".hex() not in shown

    def test_a_row_in_anothers_name_is_refused_alike_whether_it_exists_or_not(
        self, attacker: Any, projects: Projects
    ) -> None:
        import psycopg

        victim = attacker.execute("SELECT place FROM memlab.directory").fetchone()[0]
        complaints = set()
        for file in (b"plutonium-1.md", b"no-such-file.md"):
            for conflict in ("", "ON CONFLICT DO NOTHING", _CONFLICT_UPDATE):
                with pytest.raises(psycopg.Error) as raised:
                    attacker.execute(f"{_FORGED} {conflict}", (victim, file))
                complaints.add(str(raised.value))
        assert len(complaints) == 1
        assert "row-level security" in complaints.pop()

    def test_estimates_do_not_tell_how_much_another_project_has(self, attacker: Any) -> None:
        """With the planner's statistics, EXPLAIN says rows=300 for the one, and rows=1 else."""

        def estimates(condition: str, value: object) -> list[str]:
            query = f"EXPLAIN SELECT * FROM memlab.memory WHERE {condition}"
            return re.findall(r"rows=\d+", str(attacker.execute(query, (value,)).fetchall()))

        for condition, one, other in (
            ("project = %s", "memlab_victim", "memlab_nobody"),
            ("file = %s", b"plutonium-1.md", b"no-such-file.md"),
            ("mtime_ns = %s", 7_777, 1_234),
            ("terms @@ %s::tsquery", "plutonium", "unobtainium"),
        ):
            assert estimates(condition, one) == estimates(condition, other)

    def test_without_its_password_a_role_is_nobody(self, server: Server) -> None:
        import psycopg

        for role, password in (("memlab_victim", ""), ("memlab_victim", "guess")):
            with pytest.raises(psycopg.OperationalError):
                server.connect(role, password)

    def test_a_role_that_would_see_everything_is_refused(
        self, server: Server, tmp_path: Path
    ) -> None:
        index = PostgresIndex(server.admin, tmp_path)
        with pytest.raises(IndexUnavailableError, match="sees the rows of all projects"):
            index.search(["tide"], 5)

    def test_no_complaint_contains_a_password(self, server: Server, tmp_path: Path) -> None:
        server.connect().execute("CREATE ROLE outsider LOGIN PASSWORD 'sw0rdfish'")
        folder = server.folder
        for string, what in (
            (f"host={folder} dbname=postgres user=memlab_x password=sw0rdfish", "authentication"),
            (f"host={folder} dbname=postgres user=outsider password=sw0rdfish", "may not use"),
            (f"host={folder} user={ADMIN} dbname=sw0rdfish password=sw0rdfish", "…"),
            ("host=/nowhere user=me password=sw0rdfish", "nowhere"),
            ("postgresql//me:sw0rdfish@host", "cannot be read"),
            ("host=h password='sw0rdfish", "cannot be read"),
        ):
            with pytest.raises(IndexUnavailableError, match=what) as raised:
                PostgresIndex(string, tmp_path).stamps()
            said = str(raised.value).replace("dbname=sw0rdfish", "")
            assert "sw0rdfish" not in said
            assert raised.value.__cause__ is None


_FORGED = """
    INSERT INTO memlab.memory (project, place, file, mtime_ns, size, length, terms)
    VALUES ('memlab_victim', %s, %s, 1, 1, 1, '')
"""
_CONFLICT_UPDATE = "ON CONFLICT (project, place, file) DO UPDATE SET size = 0"


def write_memories(directory: Path, count: int) -> None:
    directory.mkdir()
    for number in range(count):
        word = WORDS[number % len(WORDS)]
        path = directory / f"note_{number:04}.md"
        path.write_text(f"---\nname: {word} {number}\ndescription: about the {word}\n---\nText.\n")
        os.utime(path, (1_700_000_000 + number,) * 2)


class TestFaults:
    """The server comes and goes under a session that recalls."""

    SETTINGS = Settings(scan_max_files=50, first_stage_candidates=20)

    @pytest.fixture
    def memory(self, tmp_path: Path) -> Path:
        write_memories(tmp_path / "memory", 300)
        return tmp_path / "memory"

    def stage(self, server: str, memory: Path, notices: list[str]) -> FirstStage:
        return FirstStage(memory, PostgresIndex(server, memory), self.SETTINGS, notices.append)

    @pytest.mark.parametrize("mode", ["fast", "immediate"])
    def test_after_a_restart_in_the_middle_the_answers_are_the_same(
        self, server: Server, projects: Projects, memory: Path, mode: str
    ) -> None:
        notices: list[str] = []
        stage = self.stage(projects(f"restart_{mode}"), memory, notices)
        before = stage.propose("which ferry?")
        assert before is not None
        assert "note_0007.md" not in names_of(before)
        assert "note_0014.md" in names_of(before), "it is none of the newest fifty"
        server.restart(mode)
        assert stage.propose("which ferry?") == before
        assert notices == []

    def test_without_the_server_recall_sees_the_newest_and_the_person_hears_why(
        self, server: Server, projects: Projects, memory: Path
    ) -> None:
        notices: list[str] = []
        stage = self.stage(projects("gone"), memory, notices)
        before = stage.propose("which ferry?")
        server.stop()
        try:
            assert stage.propose("which ferry?") is None
            stage.follow()
            stage.close()
        finally:
            server.start()
        assert notices
        assert all("sees only the newest 50 memories" in each for each in notices)
        assert all("memlab_gone" in each for each in notices)
        assert projects.passwords["gone"] not in "".join(notices)
        assert stage.propose("which ferry?") == before

    def test_a_server_that_dies_during_a_change_has_all_of_it_or_nothing(
        self, server: Server, projects: Projects, tmp_path: Path
    ) -> None:
        index = PostgresIndex(projects("killed"), tmp_path)
        stamps = {f"{n}.md": FileStamp(0, 0) for n in range(3_000)}
        index.change([IndexedMemory(file, stamp, ["tide"]) for file, stamp in stamps.items()])
        last = 0
        with ThreadPoolExecutor() as pool:
            for chance in range(1, 6):
                new = [IndexedMemory(file, FileStamp(chance, 0), ["tide"]) for file in stamps]
                changing = pool.submit(index.change, new, (), str(chance))
                server.restart("immediate")
                try:
                    changing.result()
                    last = chance
                except IndexUnavailableError:
                    last = int(index.position() or 0)
                found = {each.mtime_ns for each in index.stamps().values()}
                assert found == {last}
                assert int(index.position() or 0) == last
                assert len(index.stamps()) == 3_000

    def test_the_rows_were_deleted_by_somebody_and_come_back(
        self, server: Server, projects: Projects, memory: Path
    ) -> None:
        notices: list[str] = []
        before = self.stage(projects("emptied"), memory, notices).propose("which ferry?")
        server.connect().execute("TRUNCATE memlab.memory, memlab.directory")
        assert self.stage(projects("emptied"), memory, notices).propose("which ferry?") == before
        assert notices == []


class TestInAConversation:
    QUESTION = "Where is the xylophone of quartzville?"

    @pytest.fixture
    def house(self, tmp_path: Path) -> House:
        forget_paths()
        house = House(tmp_path)
        memory = house.memory
        memory.mkdir(parents=True, exist_ok=True)
        text = "---\nname: Xylophone\ndescription: it is in quartzville\ntype: project\n---\n\nx\n"
        (memory / "old.md").write_text(text)
        os.utime(memory / "old.md", (1_600_000_000,) * 2)
        for number in range(12):
            newer = text.replace("Xylophone", f"Tide {number}").replace("it is in quartzville", "x")
            (memory / f"newer-{number}.md").write_text(newer)
        return house

    def test_the_report_names_it_and_a_server_that_is_gone_is_said_once(
        self, server: Server, projects: Projects, house: House
    ) -> None:
        settings = Settings(
            scan_max_files=10,
            first_stage="postgres",
            first_stage_server=projects("conversation"),
            prefetch_wait_seconds=10,
        )
        harness = house.harness("one", settings=settings)
        (said,) = talk(harness, self.QUESTION)
        assert said.recalled == ("old.md",)
        assert any("PostgreSQL proposed" in line for line in recall_lines(harness))

        server.stop()
        try:
            harness = house.harness("two", settings=settings)
            first, second = talk(harness, self.QUESTION, self.QUESTION)
        finally:
            server.start()
        assert first.recalled == second.recalled == ()
        told = [each for each in harness.notices if "newest 10 memories" in each]
        assert len(told) == 1
        assert projects.passwords["conversation"] not in str(harness.notices)

        harness = house.harness("three", settings=settings)
        gone = harness.forget("old.md", for_good=True)
        assert "python3 -m memlab postgres vacuum" in gone
        index = PostgresIndex(settings.first_stage_server, house.memory)
        assert "old.md" not in index.stamps()

    def test_a_session_that_has_just_read_an_erased_memory_does_not_put_it_back(
        self, projects: Projects, house: House
    ) -> None:
        settings = Settings(first_stage="postgres", first_stage_server=projects("late"))
        other = house.harness("one", settings=settings)

        class Late(PostgresIndex):
            def change(self, *given: Any, **named: Any) -> None:
                if (house.memory / "old.md").exists():
                    other.forget("old.md", for_good=True)
                super().change(*given, **named)

        os.utime(house.memory / "old.md", (1_700_000_000,) * 2)
        index = Late(settings.first_stage_server, house.memory)
        FirstStage(house.memory, index, settings).check()
        assert "old.md" not in index.stamps()
        assert "newer-1.md" in index.stamps()


class TestMany:
    def test_two_machines_write_the_rows_of_one_directory(
        self, projects: Projects, tmp_path: Path
    ) -> None:
        """Each replaces, adds and removes files that the other one changes at the same time."""
        string = projects("shared")

        def machine(number: int) -> None:
            index = PostgresIndex(string, tmp_path)
            chance = random.Random(number)
            for turn in range(60):
                chosen = chance.sample(range(200), 40)
                put = [
                    IndexedMemory(f"{n}.md", FileStamp(turn, number), ["tide", f"by{number}"])
                    for n in chosen[:30]
                ]
                index.change(put, [f"{n}.md" for n in chosen[30:]], f"{number}.{turn}")
            index.close()

        with ThreadPoolExecutor(2) as pool:
            list(pool.map(machine, (1, 2)))
        index = PostgresIndex(string, tmp_path)
        stamps = index.stamps()
        assert index.position() in ("1.59", "2.59")
        assert {*files(index.search(["tide"], 500))} == stamps.keys()
        for number in (1, 2):
            found = {*files(index.search([f"by{number}"], 500))}
            assert found == {file for file, stamp in stamps.items() if stamp.size == number}

    def test_fifty_projects_share_a_server_with_a_hundred_thousand_memories(
        self, server: Server, projects: Projects, tmp_path: Path
    ) -> None:
        """Two writers at a time; every project finds its own 2,000 memories and no others."""
        names = [f"many_{number:02}" for number in range(50)]
        strings = {name: projects(name) for name in names}
        headers = {}
        for seed, name in enumerate(names):
            chance = random.Random(seed)
            headers[name] = [memory(number, chance) for number in range(2_000)]

        def fill(name: str) -> None:
            index = PostgresIndex(strings[name], tmp_path)
            index.change([*map(indexed, headers[name])], position=name)
            index.close()

        with ThreadPoolExecutor(2) as writers:
            list(writers.map(fill, names))
        rows = "SELECT count(*) FROM memlab.memory WHERE project LIKE 'memlab_many%'"
        assert server.connect().execute(rows).fetchone() == (100_000,)
        for name in names:
            index = PostgresIndex(strings[name], tmp_path)
            assert index.position() == name
            terms = terms_of("storm tide")
            corpus = index.corpus(terms)
            own = [*map(indexed, headers[name])]
            assert corpus.memories == 2_000
            for term in terms:
                assert corpus.containing[term] == sum(term in each.terms for each in own)
            best = KeywordIndex(headers[name]).rank("storm tide", 200)
            assert files(index.search(terms, 200)) == [each.filename for each in best]
            index.close()


def names_of(proposed: Any) -> list[str]:
    return [header.filename for header in proposed.scan]


class TestCommand:
    def test_a_role_is_added_used_through_the_password_file_and_removed(
        self, server: Server, tmp_path: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        passfile = tmp_path / "passwords"
        passfile.write_text("elsewhere:5432:*:me:kept\n")
        passfile.chmod(0o600)
        monkeypatch.setenv("PGPASSFILE", str(passfile))
        admin = ["--server", server.admin]
        assert postgres.main(["add", "shop", *admin]) == 0
        said = capsys.readouterr().out
        first, added = passfile.read_text().splitlines()
        assert first == "elsewhere:5432:*:me:kept"
        assert added.split(":")[-1] not in said
        assert passfile.stat().st_mode & 0o077 == 0
        settings = json.loads(said.splitlines()[-1])
        chosen = Settings().with_changes(**settings)
        index = PostgresIndex(chosen.first_stage_server, tmp_path)
        index.change([IndexedMemory("a.md", FileStamp(1, 1), ["tide"])])
        assert files(index.search(["tide"], 5)) == ["a.md"]
        index.close()

        assert postgres.main(["add", "shop", *admin]) == 2
        assert "there is a role memlab_shop already" in capsys.readouterr().err
        assert postgres.main(["list", *admin]) == 0
        assert "memlab_shop: 1 memories in 1 directories" in capsys.readouterr().out
        assert postgres.main(["remove", "shop", *admin]) == 0
        assert postgres.main(["list", *admin]) == 0
        assert "memlab_shop" not in capsys.readouterr().out.replace("The role of shop", "")
        with pytest.raises(IndexUnavailableError):
            index.search(["tide"], 5)
        assert postgres.main(["add", "shop", *admin]) == 0
        [line] = [each for each in passfile.read_text().splitlines() if "memlab_shop" in each]
        assert line != added, "a second line would never be read"
        assert PostgresIndex(chosen.first_stage_server, tmp_path).stamps() == {}

    @pytest.mark.parametrize("name", ["Shop", "shop; DROP TABLE x", "", "a" * 41, "1shop"])
    def test_a_name_that_is_no_name_is_refused(
        self, server: Server, capsys: Any, name: str
    ) -> None:
        assert postgres.main(["add", name, "--server", server.admin]) == 2
        assert "cannot be the name of a project" in capsys.readouterr().err
