"""Personal memory: in every project, after a yes, and never over the project's own memory."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memlab.agent.permissions import memory_permissions
from memlab.errors import MemlabError
from memlab.harness import Harness
from memlab.memdir.personal import move_memory, personal_store, project_wins
from memlab.memdir.toggles import Toggles
from memlab.text import request_text
from tests.house import House, note, run, talk, use

ON, BOTH = Toggles(personal=True), Toggles(personal=True, team=True)
TABS = note("Tabs, not spaces.", about="tabs, not spaces")
SPACES = note("Spaces, and never tabs.", about="spaces", type="reference")
THERE = "~/.memlab/personal/tabs.md"
Homes = Callable[..., Harness]


@pytest.fixture
def open_(house: House) -> Homes:
    """Open a session in this project or, by name, in another one of the same person."""
    first = house.project

    def opened(session: str, project: str = "", **more: Any) -> Harness:
        house.project = house.home / project if project else first
        house.project.mkdir(exist_ok=True)
        return house.harness(session, **{"toggles": ON, **more})

    return opened


@pytest.fixture
def promoted(house: House, open_: Homes) -> Harness:
    """The session in which a memory was saved in the first project, and promoted."""
    harness = open_("zero")
    harness.store.write_text("tabs.md", TABS, who="user", session="zero", turn="message-1")
    assert "every project" in harness.promote("tabs.md")
    return harness


def there(house: House) -> Path:
    return house.base / "personal" / "tabs.md"


@pytest.mark.behaviour("L2b")
@pytest.mark.parametrize(
    ("file", "name", "left"),
    [
        ("", "", "tabs.md ferry.md"),
        ("TABS.md", "Other", "ferry.md"),
        ("other.md", "TABS", "ferry.md"),
        ("tabs.md", "Ferry", ""),
    ],
)
def test_the_project_wins_by_file_and_by_name(file: str, name: str, left: str) -> None:
    personal = [("tabs.md", "Tabs"), ("ferry.md", "Ferry")]
    assert [one for one, _ in project_wins(personal, [(file, name)])] == left.split()


@pytest.mark.behaviour("L2b")
def test_what_was_promoted_in_one_project_is_in_prompt_and_recall_of_another(
    house: House, open_: Homes, promoted: Harness
) -> None:
    assert not (house.memory / "tabs.md").exists()
    assert "(tabs.md)" not in (house.memory / "MEMORY.md").read_text()
    other = open_("one", "slipway")
    for name in ("Coffee", "Boats", "Radio"):
        other.store.write_text(f"{name}.md", note(f"All about {name}.", name), who="user")
    (said,) = talk(other, "Do I want tabs?")
    assert said.recalled == ("personal/tabs.md",)
    sent = request_text(house.sent()[-1])
    assert "- [Tabs](personal/tabs.md) — tabs, not spaces" in sent
    assert f'path="{THERE}"' in sent
    assert 'from="personal memory"' in sent
    assert "personal/tabs.md" in request_text(house.sent("select")[-1])


@pytest.mark.behaviour("L2b")
@pytest.mark.parametrize("file", ["tabs.md", "team/tabs.md", "indentation.md"])
def test_where_the_project_says_otherwise_the_personal_memory_is_left_out_and_recall_says_so(
    house: House, open_: Homes, promoted: Harness, file: str
) -> None:
    other, shared = open_("one", "slipway", toggles=BOTH), file.startswith("team/")
    other.store.write_text(file, SPACES, who="user")
    other = open_("two", "slipway", toggles=BOTH)
    talk(other, "Do I want tabs?")
    assert "personal/tabs.md" not in request_text(house.sent()[-1])
    assert other.recall_report
    rows = {row[0]: row[2] for row in other.recall_report.rows()}
    assert rows["personal/tabs.md"].endswith(f"wins: {file}")
    # others can write in team/, so the person is told, and without it it counts again
    assert shared == any("personal/tabs.md" in one and file in one for one in other.notices)
    assert shared == ("(personal/tabs.md)" in open_("three", "slipway").agent.system)


@pytest.mark.behaviour("L2b", "H5", "E4")
def test_models_read_personal_memories_and_cannot_change_them(
    house: House, open_: Homes, promoted: Harness
) -> None:
    look = use("Read", file_path=THERE)
    calls = [
        [look],
        [use("Grep", pattern="spaces", path="~/.memlab/personal")],
        [use("Edit", file_path=THERE, old_string="Tabs", new_string="Spaces")],
        [use("Write", file_path="~/.memlab/personal/new.md", content=TABS)],
    ]
    house.plays({"look": [*calls, "done"], "again": [[look], "done"]})
    other = open_("one", "slipway")
    (said,) = talk(other, "look")
    assert [one.status == "ran" for one in said.turn.outcomes] == [True, True, False, False]
    assert all("only the person" in one.text for one in said.turn.outcomes[2:])
    fork = memory_permissions(other.extractor.context)
    assert fork("Read", {"file_path": THERE})
    assert not fork("Write", {"file_path": THERE, "content": TABS}).allowed
    assert there(house).read_text() == TABS
    assert not there(house).with_name("new.md").exists()
    for number, more in enumerate(({"mode": "off"}, {"toggles": Toggles()})):
        (said,) = talk(open_(f"off-{number}", "slipway", **more), "again")
        assert said.turn.outcomes[0].status != "ran"
        assert "not spaces" not in request_text(house.sent()[-1])


TOKEN = f"ghp_{'a1B2' * 9}"
WHY = "\n\n**Why:** x.\n\n**How to apply:** y."


@pytest.mark.behaviour("L2b", "A9")
@pytest.mark.parametrize("kind", ["feedback", "project", "reference", "user"])
def test_only_a_memory_about_the_person_without_a_secret_can_be_promoted(
    house: House, open_: Homes, kind: str
) -> None:
    harness = open_("one")
    harness.store.write_text("tabs.md", note(f"Tabs.{WHY}", type=kind), who="user")
    if kind == "user":
        (house.memory / "tabs.md").write_text(note(f"The token is {TOKEN}."))  # by hand
    with pytest.raises(MemlabError, match="looks like" if kind == "user" else kind) as refused:
        harness.promote("tabs.md")
    assert TOKEN not in str(refused.value)
    assert "tabs.md" in house.files()
    assert not [*there(house).parent.rglob("*.md")]


@pytest.mark.behaviour("L2b", "A10", "A11")
def test_a_promoted_memory_keeps_its_bytes_its_age_and_where_it_came_from(
    house: House, open_: Homes
) -> None:
    harness = open_("zero")
    talk(harness, "Remember that I take my coffee black.")
    (file,) = house.files()
    path, moved = house.memory / file, there(house).with_name(file)
    before = path.read_bytes(), os.stat(path).st_mtime_ns

    def origins(file: str) -> list[str]:
        lines = harness.why(file).splitlines()
        return [line for line in lines if line.strip().startswith("origin: ")]

    was = origins(file)
    house.clock.advance(9 * 86_400)
    harness.promote(file)
    assert not harness.transcript.off_record_ids
    assert (moved.read_bytes(), os.stat(moved).st_mtime_ns) == before
    assert origins(f"personal/{file}") == was != []
    shown = harness.why(f"personal/{file}")
    for part in ("moved here from", "main agent, 2026-03-30", harness.agent.uuids[0]):
        assert part in shown
    harness.demote(f"personal/{file}")
    assert "main agent, 2026-03-30" in harness.why(file), "there and back again"
    harness.promote(file)
    # forgotten in another project, where this session is not the one at hand
    open_("one", "slipway").forget(f"personal/{file}")
    again = open_("", resume="zero")
    assert harness.agent.uuids[0] in again.transcript.off_record_ids


@pytest.mark.behaviour("L2b", "A8")
def test_a_move_is_undone_in_two_halves_and_neither_loses_the_memory(
    house: House, promoted: Harness
) -> None:
    path, other = house.memory / "tabs.md", there(house)
    for what, gone, left in (("", path, other), ("personal/tabs.md", other, path)):
        said = promoted.undo(*[what] * bool(what))
        assert (path.exists(), other.exists()) == (not what, not what)
        promoted.undo(said.rpartition(" ")[2])
        assert (path.exists(), other.read_text()) == (False, TABS), (gone, left)
    said = promoted.forget("personal/tabs.md")
    assert not other.exists()
    promoted.undo(said.rpartition(" ")[2])
    assert other.read_text() == TABS
    path.write_text(SPACES)
    assert "has changed since" in promoted.undo(
        next(one.id for one in promoted.store.history() if one.change_of("tabs.md").after == "")
    )
    assert path.read_text() == SPACES


@pytest.mark.behaviour("L2b", "A8")
@pytest.mark.parametrize("back", [False, True])
def test_erasing_a_moved_memory_erases_the_history_of_where_it_was(
    house: House, promoted: Harness, back: bool
) -> None:
    if back:
        promoted.demote("personal/tabs.md")
    promoted.forget("tabs.md" if back else "personal/tabs.md", for_good=True)
    everything = [path for path in house.base.rglob("*") if path.is_file()]
    assert not [path for path in everything if b"not spaces" in path.read_bytes()]


@pytest.mark.behaviour("L2b")
def test_another_memory_of_that_name_is_never_overwritten(
    house: House, open_: Homes, promoted: Harness
) -> None:
    other = open_("one", "slipway")
    other.store.write_text("tabs.md", SPACES.replace("reference", "user"), who="user")
    for move, file in ((other.promote, "tabs.md"), (other.demote, "personal/tabs.md")):
        with pytest.raises(MemlabError, match="there already"):
            move(file)
    assert there(house).read_text() == TABS
    assert "never tabs" in other.store.read("tabs.md").body


@pytest.mark.behaviour("L2b", "A8")
@pytest.mark.parametrize("moment", ["killed", "edited"])
def test_interrupted_half_way_it_is_in_both_and_a_second_try_finishes(
    house: House, moment: str
) -> None:
    memory, personal = house.store, personal_store(there(house).parent)
    memory.write_text("tabs.md", TABS, who="user")
    path, real = house.memory / "tabs.md", personal.commit

    def edited(*given: Any, **more: Any) -> Any:
        done = real(*given, **more)
        if moment == "killed":
            raise KeyboardInterrupt
        path.write_text(SPACES)
        return done

    personal.commit = edited  # type: ignore[method-assign]
    if moment == "killed":
        with pytest.raises(KeyboardInterrupt):
            move_memory("tabs.md", memory, personal)
        assert path.read_text() == there(house).read_text() == TABS
        assert move_memory("tabs.md", memory, personal_store(there(house).parent))
        assert not path.exists()
        assert len(personal.history("tabs.md")) == 1
    else:
        assert not move_memory("tabs.md", memory, personal)
        assert path.read_text() == SPACES, "what a hand wrote in between stays"
    assert there(house).read_text() == TABS


@pytest.mark.behaviour("L2b")
def test_the_personal_index_is_cut_at_25_lines_and_a_broken_store_stops_no_project(
    house: House, open_: Homes
) -> None:
    store = personal_store(there(house).parent)
    for number in range(26):
        body = f"Robin wants number {number} at width {number * 7}."
        store.write_text(f"taste-{number}.md", note(body, f"Taste {number}"), who="user")
    index = there(house).with_name("MEMORY.md")
    assert len(index.read_text().splitlines()) == 25
    index.unlink()
    there(house).with_name("by-hand.md").write_text(note("By hand.", "Hand"))
    shown = open_("one").agent.system.partition("<personal_index>")[2]
    assert shown.count("(personal/") == 25
    assert "(personal/by-hand.md)" in shown
    journal = there(house).parent / ".memlab" / "journal.jsonl"
    journal.write_text(journal.read_text().replace('"version": 3', '"version": 99'))
    harness = open_("two", "slipway")
    talk(harness, "I prefer tea, always, in all my breaks.")
    assert [*harness.memory.glob("*tea*.md")]
    assert any("newer memlab" in notice for notice in harness.notices)
    run(harness.drain())
