"""Personal memory: in every project, after a yes, and never over the project's own memory."""

from __future__ import annotations

import os
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from memlab.agent.permissions import memory_permissions
from memlab.errors import MemlabError
from memlab.harness import Harness
from memlab.memdir.personal import move_memory, personal_store, project_wins
from memlab.memdir.places import PERSONAL, forget_paths
from memlab.memdir.scan import scan_memory_files
from memlab.memdir.store import MemoryStore
from memlab.memdir.toggles import Toggles
from memlab.text import request_text
from tests.unit.agent.helpers import use
from tests.unit.test_harness import FERRY, TABS, House, system, talk

ON = Toggles(personal=True)


class Homes(House):
    """A home in which personal memory is switched on, with a second project."""

    def harness(self, session: str = "", *, project: str = "", **more: Any) -> Harness:
        more.setdefault("toggles", ON)
        if not project:
            return super().harness(session, **more)
        (self.home / project).mkdir(exist_ok=True)
        one = super().harness("unused", **more).options
        return Harness(self.home / project, replace(one, session=session))

    @property
    def personal(self) -> Path:
        return self.base / PERSONAL

    def promoted(self, session: str = "zero", file: str = "tabs.md", text: str = TABS) -> Harness:
        """Save a memory in the first project, as the person, and promote it."""
        harness = self.harness(session)
        harness.store.write_text(file, text, who="user", session=session, turn="message-1")
        harness.promote(file)
        return harness


@pytest.fixture
def house(tmp_path: Path) -> Homes:
    forget_paths()
    return Homes(tmp_path / "home")


@pytest.mark.behaviour("L2b")
@pytest.mark.parametrize(
    ("project", "left"),
    [
        ([], ["tabs.md", "ferry.md"]),
        ([("TABS.md", "Other")], ["ferry.md"]),
        ([("other.md", "TABS")], ["ferry.md"]),
        ([("tabs.md", "Ferry")], []),
        ([("other.md", "")], ["tabs.md", "ferry.md"]),
    ],
)
def test_the_project_wins_by_file_and_by_name(
    project: list[tuple[str, str]], left: list[str]
) -> None:
    personal = [("tabs.md", "Tabs"), ("ferry.md", "Ferry")]
    assert [file for file, _ in project_wins(personal, project)] == left


@pytest.mark.behaviour("L2b")
def test_what_was_promoted_in_one_project_is_in_prompt_and_recall_of_another(
    house: Homes,
) -> None:
    first = house.promoted()
    assert not (house.memory / "tabs.md").exists()
    assert "(tabs.md)" not in (house.memory / "MEMORY.md").read_text()
    assert first.notices[-1].startswith("Promoted tabs.md: it holds in every project now")

    other = house.harness("one", project="slipway")
    for name in ("Coffee", "Boats", "Radio"):
        text = TABS.replace("Tabs", name).replace("tabs, not spaces", f"about {name}")
        other.store.write_text(f"{name.lower()}.md", text, who="user")
    (said,) = talk(other, "Do I want tabs?")
    assert "- [Tabs](personal/tabs.md) — tabs, not spaces" in system(house.sent()[-1])
    assert said.recalled == ("personal/tabs.md",)
    sent = request_text(house.sent()[-1])
    assert 'path="~/.memlab/personal/tabs.md"' in sent
    assert 'from="personal memory"' in sent
    assert "If something in this project says otherwise, go by that." in sent
    assert len(house.sent("select")) == 1
    assert "personal/tabs.md" in request_text(house.sent("select")[-1])


@pytest.mark.behaviour("L2b")
@pytest.mark.parametrize("file", ["tabs.md", "team/tabs.md", "indentation.md"])
def test_where_the_project_says_otherwise_the_personal_memory_is_left_out_and_recall_says_so(
    house: Homes, file: str
) -> None:
    house.promoted()
    both = Toggles(personal=True, team=True)
    other = house.harness("one", project="slipway", toggles=both)
    spaces = TABS.replace("tabs, not spaces", "spaces").replace("Tabs, not spaces", "Spaces")
    other.store.write_text(file, spaces.replace("user", "reference"), who="user")
    other = house.harness("two", project="slipway", toggles=both)
    talk(other, "Do I want tabs?")
    assert "personal/tabs.md" not in request_text(house.sent()[-1])
    assert "personal/tabs.md" not in request_text(house.sent("select")[-1])
    report = other.recall_report
    assert report is not None
    rows = {row[0]: row[2] for row in report.rows()}
    assert rows["personal/tabs.md"] == f"the project's memory wins: {file}"
    # others can write in team/, so the person is told
    notice = f"personal/tabs.md does not count in this project, because the team has {file}."
    assert other.notices.count(notice) == file.startswith("team/")

    without_team = house.harness("three", project="slipway")
    shown = "(personal/tabs.md)" in without_team.agent.system
    assert shown == file.startswith("team/")


@pytest.mark.behaviour("L2b", "H5")
def test_models_read_personal_memories_and_cannot_change_them(house: Homes) -> None:
    house.promoted()
    path = "~/.memlab/personal/tabs.md"
    calls = [
        [use("Read", file_path=path)],
        [use("Grep", pattern="spaces", path="~/.memlab/personal")],
        [use("Bash", command=f"cat {path}")],
        [use("Edit", file_path=path, old_string="Tabs", new_string="Spaces")],
        [use("Write", file_path="~/.memlab/personal/new.md", content=TABS)],
        "done",
    ]
    house.plays({"look": calls})
    other = house.harness("one", project="slipway")
    talk(other, "look")
    sent = request_text(house.sent()[-1])
    assert sent.count("Tabs, not spaces.") >= 2
    assert sent.count("is personal memory, which only the person changes") == 2
    assert "/memory promote FILE" in sent
    assert "outside the project" not in sent
    assert (house.personal / "tabs.md").read_text() == TABS
    assert not (house.personal / "new.md").exists()

    fork = memory_permissions(other.extractor.context)
    assert fork("Read", {"file_path": path})
    refused = fork("Write", {"file_path": path, "content": TABS})
    assert "is personal memory, which only the person changes" in refused.reason


@pytest.mark.behaviour("L2b", "E4")
def test_while_memory_or_the_mode_is_off_no_tool_reads_there(house: Homes) -> None:
    house.promoted()
    look = use("Read", file_path="~/.memlab/personal/tabs.md")
    house.plays({"look": [[look], "done"], "again": [[look], "done"]})
    talk(house.harness("one", project="slipway", mode="off"), "look")
    assert "memory is switched off in this session" in request_text(house.sent()[-1])
    talk(house.harness("two", project="slipway", toggles=Toggles()), "again")
    assert "outside the project, its memory" in request_text(house.sent()[-1])
    assert "Tabs, not spaces." not in request_text(house.sent()[-1])


@pytest.mark.behaviour("L2b")
@pytest.mark.parametrize("kind", ["feedback", "project", "reference"])
def test_only_a_memory_about_the_person_can_be_promoted(house: Homes, kind: str) -> None:
    harness = house.harness("one")
    text = TABS.replace("type: user", f"type: {kind}")
    harness.store.write_text(
        "tabs.md", f"{text}\n**Why:** x.\n\n**How to apply:** y.\n", who="user"
    )
    with pytest.raises(MemlabError, match=f"its type is {kind}, and a personal memory"):
        harness.promote("tabs.md")
    assert (house.memory / "tabs.md").exists()
    assert not house.personal.exists()


@pytest.mark.behaviour("L2b", "A9")
def test_a_secret_that_a_hand_wrote_is_not_promoted_and_not_repeated(house: Homes) -> None:
    harness = house.harness("one")
    harness.store.write_text("tabs.md", TABS, who="user")
    token = f"ghp_{'a1B2' * 9}"
    (house.memory / "tabs.md").write_text(f"{TABS}\nThe token is {token}.\n")
    with pytest.raises(MemlabError) as refused:
        harness.promote("tabs.md")
    assert "looks like" in str(refused.value)
    assert token not in str(refused.value)
    assert (house.memory / "tabs.md").exists()
    assert not list(house.personal.rglob("*.md"))


@pytest.mark.behaviour("L2b", "A10", "A11")
def test_a_promoted_memory_keeps_its_bytes_its_age_and_where_it_came_from(house: Homes) -> None:
    harness = house.harness("zero")
    talk(harness, "Remember that I take my coffee black.")
    (file,) = house.names()
    before = (house.memory / file).read_bytes(), os.stat(house.memory / file).st_mtime_ns
    was = harness.why(file)
    house.clock.advance(timedelta(days=9).total_seconds())
    harness.promote(file)
    path = house.personal / file
    assert (path.read_bytes(), os.stat(path).st_mtime_ns) == before
    shown = harness.why(f"personal/{file}")
    origins = [line for line in was.splitlines() if line.strip().startswith("origin: ")]
    assert [line for line in shown.splitlines() if line.strip().startswith("origin: ")] == origins
    assert f"moved here from ~/.memlab/projects/-home-robin-tidebook/memory/{file}" in shown
    assert "written there by main agent, 2026-03-30" in shown
    assert f"session zero, message {harness.agent.uuids[0]}" in shown

    # there and back again, it still names the first place
    harness.demote(f"personal/{file}")
    assert "written there by main agent, 2026-03-30" in harness.why(file)
    assert not path.exists()


@pytest.mark.behaviour("L2b", "A8")
def test_a_move_is_undone_in_two_halves_and_neither_loses_the_memory(house: Homes) -> None:
    harness = house.promoted()
    path, other = house.memory / "tabs.md", house.personal / "tabs.md"
    # where it was removed, it is back, and the copy stays
    said = harness.undo()
    assert "It was superseded by personal/tabs.md. That half of the move stands" in said
    assert path.read_text() == other.read_text() == TABS
    harness.undo(said.rpartition(" ")[2])
    assert not path.exists()
    # where it was written, it is gone, and the answer says how it comes back
    said = harness.undo("personal/tabs.md")
    assert "It was moved from ~/.memlab/projects/-home-robin-tidebook/memory/tabs.md" in said
    assert not other.exists()
    harness.undo(said.rpartition(" ")[2])
    assert other.read_text() == TABS


@pytest.mark.behaviour("L2b", "A8")
def test_undoing_a_move_overwrites_no_other_memory(house: Homes) -> None:
    harness = house.promoted()
    other = TABS.replace("Tabs, not spaces.", "Another memory.")
    (house.memory / "tabs.md").write_text(other)
    assert "has changed since" in harness.undo()
    assert (house.memory / "tabs.md").read_text() == other


@pytest.mark.behaviour("L2b", "A8")
def test_a_personal_memory_that_was_forgotten_comes_back(house: Homes) -> None:
    harness = house.promoted()
    notice = harness.forget("personal/tabs.md")
    assert notice.startswith("Forgot personal/tabs.md. To bring it back: /undo personal/c")
    harness.undo(notice.rpartition(" ")[2])
    assert (house.personal / "tabs.md").read_text() == TABS
    with pytest.raises(MemlabError, match=r"personal/none\.md has no change to undo"):
        harness.undo("personal/none.md")


@pytest.mark.behaviour("L2b")
def test_promoting_keeps_the_messages_on_the_record_and_forgetting_does_not(house: Homes) -> None:
    harness = house.harness("zero")
    talk(harness, "Remember that I take my coffee black.")
    (file,) = house.names()
    harness.promote(file)
    assert not harness.transcript.off_record_ids
    # in another project, where this session is not the one at hand
    house.harness("one", project="slipway").forget(f"personal/{file}")
    again = house.harness(resume="zero")
    assert harness.agent.uuids[0] in again.transcript.off_record_ids


@pytest.mark.behaviour("L2b", "A8")
@pytest.mark.parametrize("back", [False, True])
def test_erasing_a_moved_memory_erases_the_history_of_where_it_was(
    house: Homes, back: bool
) -> None:
    harness = house.promoted()
    if back:
        harness.demote("personal/tabs.md")
    said = harness.forget("tabs.md" if back else "personal/tabs.md", for_good=True)
    assert "No other memory and no transcript contains its words" in said
    left = [path for path in house.base.rglob("*") if path.is_file()]
    assert not [path for path in left if b"not spaces" in path.read_bytes()]


@pytest.mark.behaviour("L2b")
def test_another_memory_of_that_name_is_never_overwritten(house: Homes) -> None:
    house.promoted()
    other = house.harness("one", project="slipway")
    spaces = TABS.replace("Tabs, not spaces.", "Spaces, and never tabs.")
    other.store.write_text("tabs.md", spaces, who="user")
    with pytest.raises(MemlabError, match=r"personal/tabs\.md is there already"):
        other.promote("tabs.md")
    with pytest.raises(MemlabError, match=r"tabs\.md is there already"):
        other.demote("personal/tabs.md")
    assert (house.personal / "tabs.md").read_text() == TABS
    assert other.store.read("tabs.md").body == "\nSpaces, and never tabs.\n"


class Interrupted(Exception):
    """memlab ends here."""


@pytest.mark.behaviour("L2b", "A8")
def test_interrupted_half_way_it_is_in_both_and_a_second_try_finishes(
    house: Homes, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory, personal = MemoryStore(house.memory), personal_store(house.personal)
    memory.write_text("tabs.md", TABS, who="user")

    def end(*_: object, **more: object) -> None:
        raise Interrupted

    with monkeypatch.context() as patched:
        patched.setattr(memory, "commit", end)
        with pytest.raises(Interrupted):
            move_memory("tabs.md", memory, personal)
    assert (house.memory / "tabs.md").read_text() == TABS
    assert (house.personal / "tabs.md").read_text() == TABS
    moved = move_memory("tabs.md", memory, personal)
    assert moved
    assert scan_memory_files(house.memory).headers == ()
    assert len(personal.history("tabs.md")) == 1


def test_an_edit_that_comes_in_between_stays_in_the_project(
    house: Homes, monkeypatch: pytest.MonkeyPatch
) -> None:
    harness = house.harness("one")
    harness.store.write_text("tabs.md", TABS, who="user")
    personal = harness.personal.store
    real = personal.commit

    def slow(*given: Any, **more: Any) -> Any:
        done = real(*given, **more)
        (house.memory / "tabs.md").write_text(FERRY)
        return done

    monkeypatch.setattr(personal, "commit", slow)
    assert "the old file stays too" in harness.promote("tabs.md")
    assert (house.memory / "tabs.md").read_text() == FERRY


@pytest.mark.behaviour("L2b")
def test_the_personal_index_has_a_cap_of_its_own_and_a_missing_line_is_added(
    house: Homes,
) -> None:
    store = personal_store(house.personal)
    for number in range(30):
        text = TABS.replace("Tabs", f"Taste {number}").replace("tabs, not", f"about {number}, not")
        text = text.replace("spaces.", f"spaces of width {number}.")
        store.write_text(f"taste-{number}.md", text, who="user")
    lines = (house.personal / "MEMORY.md").read_text().splitlines()
    assert len(lines) == 25
    (house.personal / "MEMORY.md").unlink()
    (house.personal / "by-hand.md").write_text(FERRY)
    talk(house.harness("one"), "Hello.")
    shown = system(house.sent()[-1]).partition("<personal_index>")[2]
    assert shown.count("(personal/") == 25
    assert "(personal/by-hand.md)" in shown


def test_a_personal_store_that_cannot_be_opened_keeps_no_project_from_saving(house: Homes) -> None:
    house.promoted()
    journal = house.personal / ".memlab" / "journal.jsonl"
    journal.write_text(journal.read_text().replace('"version": 3', '"version": 99'))
    harness = house.harness("one", project="slipway")
    talk(harness, "I prefer tea, always, in all my breaks.")
    assert [one.name for one in harness.memory.glob("*.md")] != []
    assert any("a newer memlab wrote this journal" in notice for notice in harness.notices)
