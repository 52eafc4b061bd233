"""Personal memory: in every project, after a yes, and never over the project's own memory."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from memlab.agent.permissions import memory_permissions
from memlab.errors import MemlabError
from memlab.harness import Harness
from memlab.memdir.personal import move_memory, personal_store, project_wins
from memlab.memdir.toggles import Toggles
from memlab.text import request_text
from tests.house import House, note, talk, use

ON, BOTH = Toggles(personal=True), Toggles(personal=True, team=True)
TABS = note("Tabs, not spaces.", about="tabs, not spaces")
SPACES = note("Spaces, and never tabs.", about="spaces", type="reference")
THERE = "~/.memlab/personal/tabs.md"


class Homes(House):
    """A home with two projects, and a memory promoted in the first by ``promote``."""

    def begin(self, session: str, project: str = "tidebook", **more: Any) -> Harness:
        self.project = self.home / project
        self.project.mkdir(exist_ok=True)
        return self.harness(session, **{"toggles": ON, **more})

    def promote(self) -> Harness:
        harness = self.begin("zero")
        harness.store.write_text("tabs.md", TABS, who="user", session="zero")
        assert "every project" in harness.promote("tabs.md")
        return harness

    @property
    def there(self) -> Path:
        return self.base / "personal" / "tabs.md"


@pytest.fixture
def homes(house: House) -> Homes:
    return Homes(house.home)


def everything(house: House) -> bytes:
    return b"".join(path.read_bytes() for path in house.base.rglob("*") if path.is_file())


def test_the_project_wins_by_file_and_by_name() -> None:
    personal = [("tabs.md", "Tabs"), ("ferry.md", "Ferry")]
    for project, left in (
        (("", ""), ["tabs.md", "ferry.md"]),
        (("TABS.md", "Other"), ["ferry.md"]),
        (("other.md", "TABS"), ["ferry.md"]),
        (("tabs.md", "Ferry"), []),
    ):
        assert [one for one, _ in project_wins(personal, [project])] == left


@pytest.mark.behaviour("L2b")
def test_what_was_promoted_in_one_project_is_in_prompt_and_recall_of_another(homes: Homes) -> None:
    homes.promote()
    assert "(tabs.md)" not in (homes.memory / "MEMORY.md").read_text()
    other = homes.begin("one", "slipway")
    for name in ("Coffee", "Boats", "Radio"):
        other.store.write_text(f"{name}.md", note(f"About {name}.", name), who="user")
    (said,) = talk(other, "Do I want tabs?")
    assert said.recalled == ("personal/tabs.md",)
    sent = request_text(homes.sent()[-1])
    line = "- [Tabs](personal/tabs.md) — tabs, not spaces"
    for part in (line, f'path="{THERE}"', 'from="personal memory"'):
        assert part in sent


@pytest.mark.behaviour("L2b")
@pytest.mark.parametrize("file", ["tabs.md", "team/tabs.md", "indentation.md"])
def test_where_the_project_says_otherwise_it_is_left_out(homes: Homes, file: str) -> None:
    homes.promote()
    homes.begin("one", "slipway", toggles=BOTH).store.write_text(file, SPACES, who="user")
    other, shared = homes.begin("two", "slipway", toggles=BOTH), file.startswith("team/")
    talk(other, "Do I want tabs?")
    assert "personal/tabs.md" not in request_text(homes.sent()[-1])
    assert other.recall_report
    rows = {row[0]: row[2] for row in other.recall_report.rows()}
    assert rows["personal/tabs.md"].endswith(f"wins: {file}")
    # others can write in team/, so the person is told, and without it it counts again
    assert shared == (f"team has {file}" in str(other.notices))
    alone = homes.begin("three", "slipway").agent.system
    assert shared == ("(personal/tabs.md)" in alone)


@pytest.mark.behaviour("L2b", "H5", "E4")
def test_models_read_personal_memories_and_cannot_change_them(homes: Homes) -> None:
    homes.promote()
    look = use("Read", file_path=THERE)
    edit = use("Edit", file_path=THERE, old_string="Tabs", new_string="Spaces")
    new = use("Write", file_path="~/.memlab/personal/new.md", content=TABS)
    grep = use("Grep", pattern="spaces", path="~/.memlab/personal")
    homes.plays({"go": [[look], [grep], [edit], [new], "done"], "again": [[look], "done"]})
    other = homes.begin("one", "slipway")
    outcomes = talk(other, "go")[0].turn.outcomes
    assert [one.status == "ran" for one in outcomes] == [True, True, False, False]
    assert all("only the person" in one.text for one in outcomes[2:])
    fork = memory_permissions(other.extractor.context)
    assert fork("Read", look["input"])
    assert not fork("Write", new["input"]).allowed
    assert homes.there.read_text() == TABS
    off: list[dict[str, Any]] = [{"mode": "off"}, {"toggles": Toggles()}]
    for number, more in enumerate(off):
        (said,) = talk(homes.begin(f"off-{number}", "slipway", **more), "again")
        assert said.turn.outcomes[0].status != "ran"
        assert "not spaces" not in request_text(homes.sent()[-1])


@pytest.mark.behaviour("L2b", "A9")
@pytest.mark.parametrize("kind", ["feedback", "project", "reference", "user"])
def test_only_a_memory_about_the_person_is_promoted_and_no_secret(homes: Homes, kind: str) -> None:
    harness, token = homes.begin("one"), f"ghp_{'a1B2' * 9}"
    body = "Tabs.\n\n**Why:** x.\n\n**How to apply:** y."
    harness.store.write_text("tabs.md", note(body, type=kind), who="user")
    if kind == "user":
        (homes.memory / "tabs.md").write_text(note(f"It is {token}."))  # by hand
    wanted = "looks like" if kind == "user" else kind
    with pytest.raises(MemlabError, match=wanted) as refused:
        harness.promote("tabs.md")
    assert token not in str(refused.value)
    assert "tabs.md" in homes.files()
    assert not homes.there.exists()


@pytest.mark.behaviour("L2b", "A10", "A11")
def test_a_promoted_memory_keeps_its_bytes_its_age_and_where_it_came_from(homes: Homes) -> None:
    harness = homes.begin("zero")
    talk(harness, "Remember that I take my coffee black.")
    (file,) = homes.files()
    path, moved = homes.memory / file, homes.there.with_name(file)
    before = path.read_bytes(), path.stat().st_mtime_ns

    def origins(file: str) -> list[str]:
        return [one for one in harness.why(file).splitlines() if "origin: " in one]

    was = origins(file)
    homes.clock.advance(9 * 86_400)
    harness.promote(file)
    assert not harness.transcript.off_record_ids
    assert (moved.read_bytes(), moved.stat().st_mtime_ns) == before
    assert origins(f"personal/{file}") == was != []
    shown = harness.why(f"personal/{file}")
    for part in ("moved here from", "main agent, 2026-03-30", harness.agent.uuids[0]):
        assert part in shown
    harness.demote(f"personal/{file}")
    assert "main agent, 2026-03-30" in harness.why(file), "there and back again"
    harness.promote(file)
    # forgotten in another project, where this session is not the one at hand
    homes.begin("one", "slipway").forget(f"personal/{file}")
    again = homes.begin("", resume="zero")
    assert harness.agent.uuids[0] in again.transcript.off_record_ids


@pytest.mark.behaviour("L2b", "A8")
def test_a_move_is_undone_in_two_halves_and_neither_loses_the_memory(homes: Homes) -> None:
    harness, path, other = homes.promote(), homes.memory / "tabs.md", homes.there
    removal = harness.store.history()[-1].id
    for what, here in (((), True), (("personal/tabs.md",), False)):
        said = harness.undo(*what)
        assert (path.exists(), other.exists()) == (here, here)
        harness.undo(said.rpartition(" ")[2])
        assert (path.exists(), other.read_text()) == (False, TABS)
    said = harness.forget("personal/tabs.md")
    assert not other.exists()
    harness.undo(said.rpartition(" ")[2])
    assert other.read_text() == TABS
    path.write_text(SPACES)
    assert "has changed since" in harness.undo(removal)
    assert path.read_text() == SPACES


@pytest.mark.behaviour("L2b", "A8")
@pytest.mark.parametrize("back", [False, True])
def test_erasing_a_moved_memory_erases_the_history_of_where_it_was(
    homes: Homes, back: bool
) -> None:
    harness = homes.promote()
    if back:
        harness.demote("personal/tabs.md")
    harness.forget("tabs.md" if back else "personal/tabs.md", for_good=True)
    assert b"not spaces" not in everything(homes)


@pytest.mark.behaviour("L2b")
def test_another_memory_of_that_name_is_never_overwritten(homes: Homes) -> None:
    homes.promote()
    other = homes.begin("one", "slipway")
    other.store.write_text("tabs.md", SPACES.replace("reference", "user"), who="user")
    for move, file in ((other.promote, "tabs.md"), (other.demote, "personal/tabs.md")):
        with pytest.raises(MemlabError, match="there already"):
            move(file)
    assert homes.there.read_text() == TABS
    assert "never tabs" in other.store.read("tabs.md").body


def test_an_edit_that_comes_in_between_stays_in_the_project(homes: Homes) -> None:
    memory, personal = homes.store, personal_store(homes.there.parent)
    memory.write_text("tabs.md", TABS, who="user")
    path, real = homes.memory / "tabs.md", personal.commit

    def edited(*given: Any, **more: Any) -> Any:
        done = real(*given, **more)
        path.write_text(SPACES)
        return done

    personal.commit = edited  # type: ignore[method-assign]
    assert not move_memory("tabs.md", memory, personal)
    assert (path.read_text(), homes.there.read_text()) == (SPACES, TABS)


@pytest.mark.behaviour("L2b")
def test_its_index_is_cut_at_25_lines_and_a_broken_store_stops_no_project(homes: Homes) -> None:
    store = personal_store(homes.there.parent)
    for number in range(26):
        body = f"Robin wants number {number} at width {number * 7}."
        store.write_text(f"taste-{number}.md", note(body, f"Taste {number}"), who="user")
    index = homes.there.with_name("MEMORY.md")
    assert len(index.read_text().splitlines()) == 25
    index.unlink()
    homes.there.with_name("by-hand.md").write_text(note("By hand.", "Hand"))
    shown = homes.begin("one").agent.system.partition("<personal_index>")[2]
    assert shown.count("(personal/") == 25
    assert "(personal/by-hand.md)" in shown
    journal = homes.there.parent / ".memlab" / "journal.jsonl"
    journal.write_text(journal.read_text().replace('"version": 3', '"version": 99'))
    harness = homes.begin("two", "slipway")
    talk(harness, "I prefer tea, always, in all my breaks.")
    assert [*harness.memory.glob("*tea*.md")]
    assert "newer memlab" in str(harness.notices)
