"""Personal memory: in every project, after a yes, and never over the project's own memory."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from memlab.errors import MemlabError, StoreError
from memlab.harness import Harness
from memlab.memdir.personal import move_memory, personal_store
from memlab.memdir.toggles import Toggles
from memlab.text import request_text
from tests.house import House, note, talk, use

BOTH = Toggles(personal=True, team=True)
TABS = note("Tabs, not spaces.", about="tabs, not spaces")
SPACES = note("Spaces, and never tabs.", about="spaces", type="reference")
PERSONAL = "~/.memlab/personal"


class Homes(House):
    """A home with two projects, and a memory promoted in the first by ``promote``."""

    @property
    def there(self) -> Path:
        return self.base / "personal" / "tabs.md"

    def begin(self, session: str, project: str = "tidebook", **more: Any) -> Harness:
        self.project = self.home / project
        self.project.mkdir(exist_ok=True)
        return self.harness(session, **{"toggles": Toggles(personal=True)} | more)

    def promote(self) -> Harness:
        harness = self.begin("zero")
        harness.store.write_text("tabs.md", TABS, who="user", session="zero")
        assert "every project" in harness.promote("tabs.md")
        return harness


@pytest.fixture
def homes(house: House) -> Homes:
    return Homes(house.home)


@pytest.mark.behaviour("L2b")
def test_what_was_promoted_is_in_prompt_and_recall_of_another(homes: Homes) -> None:
    homes.promote()
    assert "(tabs.md)" not in (homes.memory / "MEMORY.md").read_text()
    (said,) = talk(homes.begin("one", "slipway"), "Do I want tabs?")
    assert said.recalled == ("personal/tabs.md",)
    sent = request_text(homes.sent()[-1])
    assert "- [Tabs](personal/tabs.md) — tabs, not spaces" in sent
    assert 'from="personal memory"' in sent


@pytest.mark.behaviour("L2b")
@pytest.mark.parametrize("file", ["TABS.md", "team/tabs.md", "indentation.md"])
def test_where_the_project_differs_it_is_left_out(homes: Homes, file: str) -> None:
    homes.promote()
    one = homes.begin("one", "slipway", toggles=BOTH)
    one.store.write_text(file, SPACES, who="user")
    other, shared = homes.begin("two", "slipway", toggles=BOTH), "team" in file
    talk(other, "Do I want tabs?")
    assert "personal/tabs.md" not in request_text(homes.sent()[-1])
    # others can write in team/, so the person is told, and without it it counts again
    assert shared == (f"team has {file}" in str(other.notices))
    alone = homes.begin("three", "slipway").agent.system
    assert shared == ("(personal/tabs.md)" in alone)


@pytest.mark.behaviour("L2b", "H5", "E4")
def test_models_read_personal_memories_and_cannot_change_them(homes: Homes) -> None:
    homes.promote()
    there = {"file_path": f"{PERSONAL}/tabs.md"}
    look = [use("Read", **there), use("Grep", pattern="spaces", path=PERSONAL)]
    change = [use("Edit", **there, old_string="Tabs", new_string="Spaces")]
    change += [use("Write", file_path=f"{PERSONAL}/new.md", content=SPACES)]
    for purpose in ("main", "extract"):
        homes.answers(purpose, look, change, "done")
    outcomes = talk(homes.begin("one", "slipway"), "go")[0].turn.outcomes
    assert [one.status == "ran" for one in outcomes] == [True, True, False, False]
    assert request_text(homes.sent("extract")[-1]).count("only the person") >= 4
    left = {path.name for path in homes.there.parent.glob("*.md")}
    assert (left, homes.there.read_text()) == ({"MEMORY.md", "tabs.md"}, TABS)
    for more in ({"mode": "off"}, {"toggles": Toggles()}):
        talk(homes.begin("", "slipway", **more), "again")
        assert "not spaces" not in request_text(homes.sent()[-1])


@pytest.mark.behaviour("L2b", "A9")
@pytest.mark.parametrize("kind", ["feedback", "project", "reference", "user"])
def test_only_a_memory_about_the_person_is_promoted(homes: Homes, kind: str) -> None:
    harness, token = homes.begin("one"), f"ghp_{'a1B2' * 9}"
    homes.memory.mkdir(parents=True)
    (homes.memory / "tabs.md").write_text(note(f"It is {token}.", type=kind))  # by hand
    told = "looks like" if kind == "user" else kind  # and no secret
    with pytest.raises(MemlabError, match=told) as no:
        harness.promote("tabs.md")
    assert token not in str(no.value)
    assert ("tabs.md" in homes.files(), homes.there.exists()) == (True, False)


@pytest.mark.behaviour("L2b", "A10", "A11")
def test_a_moved_memory_keeps_its_bytes_age_and_origin(homes: Homes) -> None:
    harness = homes.begin("zero")
    talk(harness, "Remember that I take my coffee black.")
    (file,) = homes.files()
    path, moved = homes.memory / file, homes.there.with_name(file)
    before = path.read_bytes(), path.stat().st_mtime_ns
    homes.clock.advance(9 * 86_400)
    for _ in range(2):  # there and back, and there again
        harness.promote(file)
        assert (moved.read_bytes(), moved.stat().st_mtime_ns) == before
        shown = harness.why(f"personal/{file}")
        assert "main agent, 2026-03-30" in shown
        assert harness.agent.uuids[0] in shown
        harness.demote(f"personal/{file}")
    harness.promote(file)
    # forgotten in another project, where this session is not the one at hand
    homes.begin("one", "slipway").forget(f"personal/{file}")
    again = homes.begin("", resume="zero")
    assert harness.agent.uuids[0] in again.transcript.off_record_ids


@pytest.mark.behaviour("L2b", "A8")
def test_a_move_is_undone_in_two_halves_and_neither_loses_it(homes: Homes) -> None:
    harness, path = homes.promote(), homes.memory / "tabs.md"
    removal = harness.store.history()[-1].id
    for what, here in ((), True), (("personal/tabs.md",), False):
        said = harness.undo(*what)
        assert (path.exists(), homes.there.exists()) == (here, here)
        harness.undo(said.rpartition(" ")[2])
        assert (path.exists(), homes.there.read_text()) == (False, TABS)
    path.write_text(SPACES)
    assert "has changed since" in harness.undo(removal)
    assert path.read_text() == SPACES


@pytest.mark.behaviour("L2b", "A8")
@pytest.mark.parametrize("back", [False, True])
def test_erasing_a_moved_memory_erases_both_histories(homes: Homes, back: bool) -> None:
    harness = homes.promote()
    if back:
        harness.demote("personal/tabs.md")
    harness.forget("tabs.md" if back else "personal/tabs.md", for_good=True)
    paths = [path for path in homes.base.rglob("*") if path.is_file()]
    assert [path for path in paths if b"not spaces" in path.read_bytes()] == []


@pytest.mark.behaviour("L2b")
def test_another_memory_of_that_name_is_never_overwritten(homes: Homes) -> None:
    homes.promote()
    other, mine = homes.begin("one", "slipway"), note("Spaces.")
    other.store.write_text("tabs.md", mine, who="user")
    for move, file in ((other.promote, "tabs.md"), (other.demote, "personal/tabs.md")):
        with pytest.raises(MemlabError, match="there already"):
            move(file)
    assert homes.there.read_text() == TABS
    assert (other.memory / "tabs.md").read_text() == mine


def test_half_a_move_says_where_both_copies_are_and_is_finished_by_the_next(homes: Homes) -> None:
    harness = homes.begin("zero")
    harness.store.write_text("tabs.md", TABS, who="user")
    full = StoreError("No space left", do="Make room")
    with mock.patch.object(harness.store, "commit", side_effect=full):
        said = r"personal/tabs\.md is written, and .*memory/tabs\.md is still.* left\. Make room"
        with pytest.raises(StoreError, match=said):
            harness.promote("tabs.md")
    assert homes.there.read_text() == homes.files()["tabs.md"]
    harness.promote("tabs.md")
    assert (homes.there.read_text(), homes.files()) == (TABS, {})


def test_an_edit_that_comes_in_between_stays_in_the_project(homes: Homes) -> None:
    memory, personal = homes.store, personal_store(homes.there.parent)
    memory.write_text("tabs.md", TABS, who="user")
    real = personal.commit

    def edited(*given: Any, **more: Any) -> Any:
        (homes.memory / "tabs.md").write_text(SPACES)
        return real(*given, **more)

    personal.commit = edited  # type: ignore[method-assign]
    assert not move_memory("tabs.md", memory, personal)
    assert homes.files() == {"tabs.md": SPACES}


@pytest.mark.behaviour("L2b")
def test_a_broken_store_stops_no_project(homes: Homes) -> None:
    homes.promote()
    journal = homes.there.parent / ".memlab" / "journal.jsonl"
    journal.write_text(journal.read_text().replace('"version": 3', '"version": 99'))
    harness = homes.begin("two", "slipway")
    talk(harness, "I prefer tea, always, in all my breaks.")
    assert [*harness.memory.glob("*tea*.md")]
    assert "newer memlab" in str(harness.notices)
