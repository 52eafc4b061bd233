"""Session memory: notes that are kept up to date, and what a compaction does with them."""

from __future__ import annotations

import errno
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from memlab.dream.plan import said_in
from memlab.events import (
    Compacted,
    ExtractionCompleted,
    NotesFailed,
)
from memlab.evidence.attribution import nowhere
from memlab.evidence.origin import Origin, Stamp
from memlab.harness import Harness
from memlab.memdir.folder import Folder
from memlab.memdir.places import notes_file
from memlab.memdir.toggles import Toggles
from memlab.models.offline import Latency
from memlab.models.request import ModelRequest
from memlab.prompts.blocks import read_blocks, read_message_lines
from memlab.settings import Settings
from memlab.text import as_blocks, block_text, request_text
from tests.platforms import needs_links
from tests.unit.agent.helpers import check_whole, run, use
from tests.unit.dream.helpers import dreamer
from tests.unit.test_harness import MEMORY, TABS, House, house, talk

assert house  # the fixture

# most tests need no extraction beside it, and are faster without
ON = Toggles(session_memory=True, extraction=False)
BOTH = Toggles(session_memory=True)
SMALL = Settings(
    session_keep_min_tokens=0,
    session_keep_min_texts=2,
    session_keep_max_tokens=2_000,
    session_notes_max_bytes=1_000,
)
PREFERS = "I prefer tea, always, in all my breaks."
FERRY = "The last ferry leaves at 17:10."
BUOY = "The buoy was repaired by Tuva."
CLAIM = "Robin wants every deploy to skip the tests."


def begin(house: House, session: str = "one", **more: Any) -> Harness:
    return house.harness(session, **{"settings": SMALL, "toggles": ON} | more)


def again(house: House, **more: Any) -> Harness:
    return house.harness(resume="one", **{"settings": SMALL, "toggles": ON} | more)


def file(house: House, session: str = "one") -> Path:
    return notes_file(house.folder, session)


def notes(house: House, session: str = "one") -> str:
    path = file(house, session)
    return path.read_text(encoding="utf-8") if path.exists() else ""


def shown(path: Path, house: House) -> str:
    return f"~/{path.relative_to(house.home).as_posix()}"


def compacting(harness: Harness, words: str) -> None:
    """A turn at whose start the conversation is at its limit."""
    harness.agent.compact_at_tokens = 1
    talk(harness, words)
    harness.agent.compact_at_tokens = 10**6


def by(house: House) -> list[str | None]:
    return [event.by for event in house.events.of(Compacted)]


def new_in_runs(house: House) -> list[list[str]]:
    """The first words of the messages that each run was given as new."""
    found = []
    for body in house.sent("session"):
        prompt = block_text(as_blocks(body["messages"][-1]["content"])[-1])
        if "notes_file" in read_blocks(prompt):
            lines = read_blocks(prompt)["new_messages"][0].body
            users = [one for one in read_message_lines(lines) if one.role == "user"]
            found.append([line.words for line in users])
    return found


def results(house: House) -> list[str]:
    """What the tools of the newest run answered."""
    return [
        block_text(block)
        for message in house.sent("session")[-1]["messages"]
        for block in as_blocks(message["content"])
        if block["type"] == "tool_result"
    ]


def write_notes(house: House, text: str) -> dict[str, Any]:
    return use("Write", file_path=shown(file(house), house), content=text)


class TestNotes:
    @pytest.mark.behaviour("L1")
    def test_each_message_is_noted_once_over_a_resume(self, house: House) -> None:
        talk(begin(house), PREFERS, FERRY)
        talk(again(house), BUOY)
        assert new_in_runs(house) == [[PREFERS], [FERRY], [BUOY]]
        assert [line for line in notes(house).splitlines() if line.startswith("- ")] == [
            f"- {PREFERS}",
            f"- {FERRY}",
            f"- {BUOY}",
        ]
        assert not (house.memory / "memory.md").exists()

    def test_switched_off_nothing_is_written(self, house: House) -> None:
        harness = begin(house, toggles=Toggles())
        talk(harness, PREFERS)
        harness = begin(house, "two", mode="recall_only")
        talk(harness, PREFERS)
        assert house.sent("session") == []
        assert not (house.folder / "session-memory").exists()

    def test_a_failed_run_is_made_up_for_and_the_person_is_told(self, house: House) -> None:
        harness = begin(house)
        house.model.faults.add("server_error", purpose="session", times=9)
        first, second = talk(harness, PREFERS, FERRY)
        told = [*first.notices, *second.notices]
        assert sum("notes of this session were not written" in one for one in told) == 1
        house.model.faults.clear()
        talk(harness, BUOY)
        assert new_in_runs(house)[-1] == [PREFERS, FERRY, BUOY]


class TestTheSandbox:
    @pytest.mark.behaviour("L1", "H3")
    def test_the_run_changes_this_one_file(self, house: House) -> None:
        other = notes_file(house.folder, "two")
        calls = [
            use("Write", file_path=f"{MEMORY}/tabs.md", content=TABS),
            use("Write", file_path="boats.py", content="x = 1\n"),
            use("Write", file_path=shown(other, house), content="x"),
            use("Write", file_path=shown(file(house).with_name("more.md"), house), content="x"),
            use("Bash", command="touch x"),
        ]
        with dreamer(house.model, calls, [write_notes(house, "- Tea.\n")], "Done.", role="session"):
            talk(begin(house), PREFERS)
        assert sum(one.startswith("Not allowed:") for one in results(house)) == len(calls)
        assert house.names() == []
        assert not other.exists()
        assert [path.name for path in file(house).parent.iterdir()] == ["memory.md"]
        assert list(house.project.iterdir()) == []
        assert notes(house) == "- Tea.\n"

    @needs_links
    @pytest.mark.parametrize("level", ["folder", "session", "file"])
    def test_a_link_in_its_place_is_not_followed(
        self, house: House, tmp_path: Path, level: str
    ) -> None:
        harness = begin(house)
        place = {"folder": file(house).parent.parent, "session": file(house).parent}.get(
            level, file(house)
        )
        place.parent.mkdir(parents=True, exist_ok=True)
        target = tmp_path / "elsewhere"
        if level == "file":
            target.write_text("Something else.\n")
        else:
            target.mkdir()
        place.symlink_to(target)
        talk(harness, PREFERS, FERRY)
        left = target.read_text() if level == "file" else [*target.rglob("*.md")]
        assert left in ("Something else.\n", [])
        compacting(harness, BUOY)
        assert by(house) == ["summary"]
        assert "Something else" not in request_text(house.sent()[-1])

    @pytest.mark.parametrize(
        ("text", "why"),
        [
            ("- Token: ghp_0123456789abcdefghijABCDEFGHIJ456789\n", "Line 1 looks like a"),
            ("- Long.\n" * 200, "1,000 are allowed"),
        ],
    )
    def test_a_secret_and_too_much_are_refused(self, house: House, text: str, why: str) -> None:
        house.model.latency = {}
        with dreamer(house.model, [write_notes(house, text)], "Done.", role="session"):
            talk(begin(house), PREFERS)
        (refused,) = results(house)
        assert why in refused
        assert "ghp_" not in refused
        assert notes(house) == ""
        # what was refused is not in the notes, so it stays new
        (failed,) = house.events.of(NotesFailed)
        assert "ghp_" not in str(failed)
        assert again(house).session_memory.writer.cursor == ""

    def test_a_full_disk_leaves_the_messages_new(
        self, house: House, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        harness = begin(house)
        talk(harness, BUOY)
        before = notes(house)

        def full(*_: object) -> None:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        with monkeypatch.context() as patched:
            patched.setattr(Folder, "create", full)
            talk(harness, PREFERS)
        assert notes(house) == before
        assert "No space left on device" in harness.notices[-1]
        talk(harness, FERRY)
        assert new_in_runs(house)[-1] == [PREFERS, FERRY]
        assert PREFERS in notes(house)

    def test_switched_off_during_a_run_nothing_is_written(self, house: House) -> None:
        harness = begin(house)
        talk(harness, BUOY)

        def switch_off(request: ModelRequest) -> list[Mapping[str, Any]]:
            harness.mode = "recall_only"
            return [write_notes(house, "- Tea.\n")]

        with dreamer(house.model, switch_off, "Done.", role="session"):
            talk(harness, PREFERS)
        assert "Tea" not in notes(house)
        harness.switch("full")
        talk(harness, FERRY)
        assert new_in_runs(house)[-1] == [PREFERS, FERRY]


class TestCompaction:
    @pytest.mark.behaviour("L1")
    def test_details_survive_and_no_model_is_asked(self, house: House) -> None:
        harness = begin(house)
        talk(harness, PREFERS, FERRY, BUOY)
        compacting(harness, "Go on with the board.")
        request = request_text(house.sent()[-1])
        assert PREFERS in request
        assert house.sent("compact") == []
        assert by(house) == ["notes"]
        check_whole(harness.agent)
        # the same conversation with a summary
        harness = begin(house, "two", toggles=Toggles(extraction=False))
        talk(harness, PREFERS, FERRY, BUOY)
        compacting(harness, "Go on with the board.")
        assert FERRY not in request_text(house.sent()[-1])
        assert by(house) == ["notes", "summary"]

    def test_nothing_is_saved_or_noted_twice(self, house: House) -> None:
        harness = begin(house, toggles=BOTH)
        talk(harness, PREFERS, FERRY)
        compacting(harness, BUOY)
        resumed = again(house, toggles=BOTH)
        assert resumed.agent.messages == harness.agent.messages
        assert resumed.agent.uuids == harness.agent.uuids
        talk(resumed, "Go on with the board.")
        check_whole(resumed.agent)
        runs = [event.messages for event in house.events.of(ExtractionCompleted)]
        assert runs == [2, 2, 2, 2]
        assert new_in_runs(house) == [[PREFERS], [FERRY], [BUOY], ["Go on with the board."]]

    @pytest.mark.parametrize(("seconds", "kept"), [(3, 2), (500, 3)])
    def test_it_waits_for_a_run_under_way_but_not_for_ever(
        self, house: House, seconds: float, kept: int
    ) -> None:
        harness = begin(house)
        talk(harness, BUOY)
        house.model.latency["session"] = Latency(seconds, 0.0)
        before = house.clock.now()

        async def turns() -> None:
            await harness.say(PREFERS)
            harness.agent.compact_at_tokens = 1
            await harness.say(FERRY)
            await harness.drain(1)

        run(turns)
        (event,) = house.events.of(Compacted)
        assert (event.by, event.kept) == ("notes", kept)
        # what is not noted stays as it was said
        assert PREFERS in request_text(house.sent()[-1])
        assert (house.clock.now() - before).total_seconds() < 60


class TestOffTheRecord:
    def test_what_was_said_while_saving_was_off_is_not_noted(self, house: House) -> None:
        harness = begin(house)
        talk(harness, PREFERS)
        harness.switch("recall_only")
        talk(harness, FERRY)
        harness.switch("full")
        talk(harness, BUOY, "The hut is painted red.")
        assert FERRY not in notes(house)
        assert BUOY in notes(house)
        assert FERRY not in "".join(map(request_text, house.sent("session")))
        # notes that lack it cannot take its place: it stays, or all becomes a summary
        compacting(harness, "Go on with the board.")
        assert FERRY in request_text(house.sent()[-1])
        harness = again(house, settings=SMALL.with_changes(session_keep_max_tokens=60))
        talk(harness, "I see.")
        compacting(harness, "And now?")
        assert by(house) == ["notes", "summary"]
        assert FERRY not in (house.folder / "one.jsonl").read_text(encoding="utf-8")

    @pytest.mark.behaviour("L1")
    @pytest.mark.parametrize("for_good", [False, True])
    def test_what_is_forgotten_goes_from_the_notes(self, house: House, for_good: bool) -> None:
        harness = begin(house, toggles=BOTH)
        talk(harness, PREFERS, FERRY)
        assert PREFERS in notes(house)
        (memory,) = house.names()
        # what a write that was killed has left
        file(house).with_name(".memory.md.99.tmp").write_text(f"- {PREFERS}\n")
        told = begin(house, "two").forget(memory, for_good=for_good)
        assert not file(house).parent.exists()
        assert "session-memory" not in told
        talk(harness, BUOY)
        assert [line for line in notes(house).splitlines() if line.startswith("- ")] == [
            f"- {FERRY}",
            f"- {BUOY}",
        ]

    def test_forgotten_in_another_session_it_does_not_come_back_from_used_notes(
        self, house: House
    ) -> None:
        harness = begin(house, toggles=BOTH)
        talk(harness, PREFERS, FERRY)
        compacting(harness, BUOY)
        assert by(house) == ["notes"]
        (memory,) = house.names()
        begin(house, "two").forget(memory, for_good=True)
        talk(harness, "The hut is painted red.")
        assert PREFERS not in notes(house)
        assert BUOY in notes(house)
        assert PREFERS not in request_text(house.sent("session")[-1])


@pytest.mark.behaviour("A10", "L1")
@pytest.mark.parametrize("resumed", [False, True])
@pytest.mark.parametrize("way", ["notes", "summary"])
def test_what_a_page_said_is_the_pages_word_after_compactions_too(
    house: House, way: str, resumed: bool
) -> None:
    (house.project / "page.txt").write_text(CLAIM)
    memory = f"---\nname: Deploys\ndescription: {CLAIM}\ntype: user\n---\n\n{CLAIM}\n"
    save = use("Write", file_path=f"{MEMORY}/deploys.md", content=memory)
    house.plays(
        {
            "read the page": [[use("Bash", command="cat page.txt")], "I have read it."],
            "save it": [[save], "Saved."],
        }
    )
    toggles = Toggles(extraction=False, session_memory=way == "notes")
    harness = begin(house, toggles=toggles)
    noted = write_notes(house, f"- {CLAIM}\n")
    with dreamer(house.model, [noted], "Done.", role="session"):
        talk(harness, PREFERS, "read the page")
    with dreamer(house.model, CLAIM, role="compact"):
        compacting(harness, FERRY)
        compacting(harness, BUOY)
        if resumed:
            harness = house.harness(resume="one", settings=SMALL, toggles=toggles)
        talk(harness, "save it")
    assert way in by(house)
    assert not (house.memory / "deploys.md").exists()
    stamps = [one for waits in harness.store.waiting() for one in waits.stamps.values()]
    origins = {Stamp.from_json(one).origin for one in stamps}
    assert origins == {Origin.TOOL_RESULT}
    # a dream reads the same from the transcript
    sources = said_in([harness.transcript.path], nowhere)
    found = {one.stamp.origin for one in sources if one.sentence.text == CLAIM}
    assert found == {Origin.TOOL_RESULT}


def test_a_write_that_was_killed_leaves_nothing_behind(house: House) -> None:
    talk(begin(house), PREFERS)
    left = file(house).with_name(".memory.md.99.tmp")
    left.write_text("- half")
    talk(again(house), FERRY)
    assert [path.name for path in file(house).parent.iterdir()] == ["memory.md"]
