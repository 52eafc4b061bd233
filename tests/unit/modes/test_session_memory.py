"""Session memory: notes that are kept up to date, and what a compaction does with them."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from memlab.events import Compacted
from memlab.evidence.origin import Origin, Stamp
from memlab.harness import Harness
from memlab.memdir.folder import Folder
from memlab.memdir.places import notes_file
from memlab.memdir.toggles import Toggles
from memlab.settings import Settings
from memlab.text import request_text
from tests.house import House, note, talk, use, words, writes
from tests.platforms import needs_links

# most tests need no extraction beside it, and are faster without
ON, BOTH = Toggles(session_memory=True, extraction=False), Toggles(session_memory=True)
SMALL = {"session_keep_min_tokens": 0, "session_keep_min_texts": 2}
SMALL |= {"session_keep_max_tokens": 2_000, "session_notes_max_bytes": 1_000}
TEA = "I prefer tea, always, in all my breaks."
FERRY, BUOY = "The last ferry leaves at 17:10.", "The buoy was repaired by Tuva."
HUT, CLAIM = "The hut is painted red.", "Robin wants every deploy to skip the tests."


@pytest.fixture
def desk(house: House) -> House:
    house.settings = Settings().with_changes(**SMALL)
    return house


def begin(house: House, session: str = "one", **more: Any) -> Harness:
    return house.harness(session, **{"toggles": ON} | more)


def file(house: House, session: str = "one") -> Path:
    return notes_file(house.folder, session)


def notes(house: House) -> list[str]:
    lines = file(house).read_text("utf-8").splitlines()
    return [line[2:] for line in lines if line.startswith("- ")]


def change(house: House, text: str, place: Path | None = None) -> dict[str, Any]:
    path = (place or file(house)).relative_to(house.home).as_posix()
    return use("Write", file_path=f"~/{path}", content=text)


def compacting(harness: Harness, text: str) -> None:
    """Say something when the conversation is at its limit."""
    harness.agent.compact_at_tokens = 1
    talk(harness, text)
    harness.agent.compact_at_tokens = 10**6


@pytest.mark.behaviour("L1")
def test_each_message_is_noted_once_whatever_fails(desk: House) -> None:
    talk(begin(desk), TEA)
    left = file(desk).with_name(".memlab-memory.md.tmp")
    left.write_text("- what a write that was killed has left")
    harness = begin(desk, "", resume="one")
    assert not left.exists()
    desk.model.faults.add("server_error", purpose="session", times=9)
    (said,) = talk(harness, FERRY)
    assert "not written" in str([*said.notices, *harness.notices])
    desk.model.faults.clear()
    with mock.patch.object(Folder, "create", side_effect=OSError(28, "No space")):
        talk(harness, BUOY)
    assert notes(desk) == [TEA]
    talk(harness, HUT)
    assert (notes(desk), desk.files()) == ([TEA, FERRY, BUOY, HUT], {})


@pytest.mark.behaviour("L1", "H3")
def test_the_run_changes_this_one_file(desk: House) -> None:
    token = "ghp_0123456789abcdefghijABCDEFGHIJ456789"
    places = (file(desk, "two"), file(desk).with_name("m.md"), desk.project / "x.py")
    refused = [change(desk, "x", place) for place in places]
    refused += [change(desk, text) for text in (f"- {token}\n", "- Long.\n" * 200)]
    refused += [writes("tabs.md", note("Tabs.")), use("Bash", command="touch x")]
    desk.answers("session", refused, "Done.")
    harness = begin(desk)
    talk(harness, TEA)
    answers = words(desk.sent("session")[-1]["messages"][-1])
    assert answers.count("Not allowed:") == len(refused)
    assert token not in answers + str([*desk.events])
    assert [*desk.home.rglob("*.md"), *desk.project.iterdir()] == []
    desk.answers("session", [change(desk, "- Tea.\n")], "Done.")
    talk(harness, FERRY)
    assert file(desk).read_text() == "- Tea.\n"
    assert TEA in words(desk.sent("session")[-2]["messages"][-1]), "it stayed new"


@needs_links
@pytest.mark.parametrize("level", [0, 1, 2])
def test_a_link_is_not_followed(desk: House, level: int) -> None:
    harness, place = begin(desk), [file(desk), *file(desk).parents][level]
    place.parent.mkdir(parents=True, exist_ok=True)
    target = desk.home / "elsewhere"
    target.mkdir() if level else target.write_text("Something else.\n")
    place.symlink_to(target)
    talk(harness, TEA)
    compacting(harness, BUOY)
    assert [one.by for one in desk.events.of(Compacted)] == ["summary"]
    left = [*target.rglob("*.md")] if level else target.read_text()
    assert left == ([] if level else "Something else.\n")


@pytest.mark.behaviour("L1")
def test_details_survive_and_no_model_is_asked(desk: House) -> None:
    for session, toggles in (("one", BOTH), ("two", Toggles())):
        harness = begin(desk, session, toggles=toggles)
        talk(harness, TEA, FERRY)
        compacting(harness, BUOY)
        assert (TEA in request_text(desk.sent()[-1])) == (session == "one")
    assert [one.by for one in desk.events.of(Compacted)] == ["notes", "summary"]
    assert len(desk.sent("compact")) == 1, "for the summary"


@pytest.mark.behaviour("L1")
@pytest.mark.parametrize("for_good", [False, True])
def test_what_is_off_the_record_is_not_noted(desk: House, for_good: bool) -> None:
    harness = begin(desk, toggles=BOTH)
    for text, mode in ((TEA, "recall_only"), (FERRY, "full"), (HUT, "full")):
        talk(harness, text)
        harness.switch(mode)
    assert notes(desk) == [TEA, HUT]
    assert FERRY not in "".join(map(request_text, desk.sent("session")))
    compacting(harness, "Go on.")
    assert FERRY in request_text(desk.sent()[-1]), "the notes lack it"
    file(desk).with_name(".memlab-memory.md.tmp").write_text(f"- {TEA}\n")
    memory = next(name for name in desk.files() if "tea" in name)
    begin(desk, "two").forget(memory, for_good=for_good)
    assert not file(desk).parent.exists()
    talk(harness, BUOY)
    assert (TEA in notes(desk), notes(desk)[-1]) == (False, BUOY)
    assert TEA not in request_text(desk.sent("session")[-1])


@pytest.mark.behaviour("A10", "L1")
@pytest.mark.parametrize("way", ["notes", "summary"])
def test_what_a_page_said_stays_the_pages_word(desk: House, way: str) -> None:
    (desk.project / "page.txt").write_text(CLAIM)
    read, save = use("Bash", command="cat page.txt"), writes("d.md", note(CLAIM))
    desk.plays({"read it": [[read], "I have."], "save it": [[save], "Saved."]})
    toggles = Toggles(extraction=False, session_memory=way == "notes")
    desk.answers("session", [change(desk, f"- {CLAIM}\n")], "Done.")
    desk.answers("compact", CLAIM)
    harness = begin(desk, toggles=toggles)
    talk(harness, TEA, "read it")
    compacting(harness, FERRY)
    compacting(harness, BUOY)
    talk(begin(desk, "", resume="one", toggles=toggles), "save it")
    assert way in [one.by for one in desk.events.of(Compacted)]
    assert desk.files() == {}
    stamps = [one for held in harness.store.waiting() for one in held.stamps.values()]
    assert {Stamp.from_json(one).origin for one in stamps} == {Origin.TOOL_RESULT}
