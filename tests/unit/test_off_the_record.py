"""What a person switched off, declined or forgot stays so: over resumes, compaction and dreams."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest
import yaml

from memlab.agent.transcript import TranscriptError
from memlab.evals.labelled import LABELLED
from memlab.events import Compacted, ExtractionCompleted, ExtractionFailed
from memlab.evidence.requests import asks_to_ignore_memory
from memlab.harness import Harness
from memlab.memdir.places import forget_paths
from memlab.models.offline import Latency
from memlab.models.request import ModelRequest
from memlab.text import request_text
from tests.house import SHOWN, House, note, reads, run, talk, use, writes

SECRET = "I prefer sesame bread, always, at every breakfast."
TEA = "I prefer tea, always, in all my breaks."
TABS = note("Tabs, not spaces.")


def compacts(harness: Harness, text: str) -> None:
    harness.agent.compact_at_tokens = 1
    talk(harness, text)
    harness.agent.compact_at_tokens = 10**6


def fails_after_its_writes(house: House, harness: Harness) -> None:
    """Say the secret to an extractor whose second call fails."""

    def broken(request: ModelRequest) -> Any:
        house.model.faults.add("server_error", purpose="extract", times=9)
        return [writes("sesame.md", note(SECRET))]

    house.answers("extract", broken)
    talk(harness, SECRET)
    assert house.events.of(ExtractionFailed)
    house.model.roles.clear()
    house.model.faults.clear()


def said_while(mode: str) -> Callable[[House], None]:
    def scenario(house: House) -> None:
        harness = house.harness("one")
        talk(harness, "Hello.")
        harness.switch(mode)
        talk(harness, SECRET)

    return scenario


def summarised(house: House) -> None:
    harness = house.harness("one", mode="off")
    talk(harness, SECRET)
    harness.switch("full")
    compacts(harness, "Hello.")


def declined(house: House) -> None:
    house.plays({SECRET: [[writes("sesame.md", note(SECRET))], "As you like."]})
    harness = house.harness("one", saving="ask", ask=lambda question: False)
    harness.agent.stop_hooks = ()  # killed before extraction could look at it
    talk(harness, SECRET)


def declined_later(house: House) -> None:
    fails_after_its_writes(house, house.harness("one", saving="ask", ask=lambda question: False))


def forgotten(house: House, for_good: bool = False) -> None:
    talk(house.harness("one"), SECRET)
    (file,) = house.files()
    other = house.harness("two")
    other.forget(file, for_good=for_good)
    assert [*house.store.history()[-1].withheld] == ["one"]


def erased(house: House) -> None:
    forgotten(house, for_good=True)


def forgotten_on_request(house: House) -> None:
    talk(house.harness("one"), f"Remember that {SECRET}", "forget about the sesame bread")


def forgotten_after_a_failure(house: House) -> None:
    harness = house.harness("one")
    fails_after_its_writes(house, harness)
    harness.forget("sesame.md")


def forgotten_and_summarised(house: House) -> None:
    harness = house.harness("one")
    talk(harness, SECRET)
    harness.forget(*house.files())
    compacts(harness, "Hello.")
    assert house.events.of(Compacted)


QUICK = (said_while("off"), forgotten, declined, forgotten_and_summarised)
SLOW = (said_while("recall_only"), summarised, declined_later, erased)
SLOW += (forgotten_on_request, forgotten_after_a_failure)
SCENARIOS = [*QUICK, *(pytest.param(one, marks=pytest.mark.slow) for one in SLOW)]


@pytest.mark.behaviour("E4")
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_nobody_learns_it_later(house: House, scenario: Callable[[House], None]) -> None:
    scenario(house)
    assert house.files() == {}
    before = len(house.model.requests)
    harness = house.harness(resume="one", mode="full")
    house.answers("main", "Yes.")
    talk(harness, TEA)
    sessions = SHOWN.removesuffix("/memory")
    search = {"path": sessions, "output_mode": "content"}
    house.answers(
        "dream",
        [
            use("Grep", pattern="s.same|prefer", **search),
            use("Grep", pattern="s.same|prefer", glob="**/.*", **search),
            use("Bash", command=f"grep -r s.same {house.folder}"),
            use("Bash", command=f"cat {house.folder}/*.jsonl"),
        ],
        "Nothing to do.",
    )
    run(harness.dream_now())
    requests = house.model.requests[before:]
    forks = [request_text(one.body) for one in requests if one.purpose in ("extract", "dream")]
    assert "prefer tea" in forks[-1]  # the control
    assert not [text for text in forks if "sesame" in text]
    assert len(house.files()) == 1
    assert "sesame" not in str(house.files())
    if "summarised" not in scenario.__name__:
        assert "sesame" in request_text(house.sent()[-1])  # the conversation itself goes on


@pytest.mark.behaviour("E4")
def test_a_request_to_ignore_memory_holds_for_the_session(house: House) -> None:
    house.fill(tabs=TABS)
    harness = house.harness("one")
    talk(harness, "Hello.")
    before = len(house.model.requests)
    talk(harness, "Please ignore memory.", "Which indentation do I want? " + SECRET)
    assert "off for the rest of this session" in harness.notices[-1]
    assert {one.purpose for one in house.model.requests[before:]} == {"main"}
    for body in house.sent()[1:]:
        assert "tabs.md" not in str(body["system"])
        assert "<memory " not in request_text(body)
    assert [*house.files()] == ["tabs.md"]
    # no dream finds the session, not even what was said before; a resumed one has it all
    assert [*house.folder.glob("*.jsonl")] == []
    again = house.harness(resume="one")
    assert (again.mode, again.agent.messages) == ("off", harness.agent.messages)
    again.switch("full")
    talk(again, "Hello again.")
    assert [path.stem for path in house.folder.glob("*.jsonl")] == ["one"]
    assert house.harness(resume="one").agent.messages == again.agent.messages


def test_what_a_kill_left_unprocessed_is_processed(house: House) -> None:
    harness = house.harness("one")
    harness.agent.stop_hooks = ()
    talk(harness, SECRET)
    talk(house.harness(resume="one"), "Hello.")
    assert "sesame" in str(house.files())


@pytest.mark.parametrize("cut", [1, 20, 200])
def test_a_torn_record_counts_as_not_there(house: House, cut: int) -> None:
    harness = house.harness("one", mode="recall_only")
    talk(harness, "Hello.")
    harness.switch("off")
    path = house.base / "off-the-record" / house.folder.name / "one.jsonl"
    path.write_bytes(path.read_bytes()[:-cut])
    assert house.harness(resume="one").mode in ("recall_only", "off")


@pytest.mark.behaviour("E4")
def test_only_a_request_to_ignore_memory_is_one() -> None:
    labelled = yaml.safe_load((LABELLED / "ignore_memory.yaml").read_text("utf-8"))
    assert [one for one in labelled if asks_to_ignore_memory(one["said"]) != one["triggers"]] == []
    for phrase in ("ignore {}", "Please ignore {}!", "turn {} off", "From now on, ignore {}."):
        assert asks_to_ignore_memory(phrase.format("your memory"))
        assert not asks_to_ignore_memory(phrase.format("memory errors"))
        assert not asks_to_ignore_memory(phrase.format("memory.py"))


@pytest.mark.behaviour("G2")
def test_the_mode_and_the_cursor_belong_to_the_session(house: House) -> None:
    harness = house.harness("one")
    talk(harness, SECRET)
    again = house.harness(resume="one")
    assert again.extractor.cursor == harness.agent.uuids[-1]
    talk(again, TEA)  # what was processed is not processed again
    assert house.events.of(ExtractionCompleted)[-1].first == again.agent.uuids[2]
    again.switch("off")
    document = json.loads((house.base / "conversations/one.json").read_text("utf-8"))
    assert document["state"]["mode"] == "off"
    off = house.harness(resume="one")
    assert (off.mode, off.notices[0][:8]) == ("off", "Resumed:")
    assert house.harness(resume="one", mode="recall_only").mode == "recall_only"


@pytest.mark.behaviour("G2")
@pytest.mark.parametrize("where", ["moved", "another", "same number"])
def test_a_session_goes_on_in_its_own_project_only(house: House, where: str) -> None:
    talk(house.harness("one"), "Hello.")
    other, path = house.home / "boats", house.folder / "one.jsonl"
    if where == "moved":
        house.project.rename(other)
    else:
        other.mkdir()
    if where == "same number":  # a folder's number may be used again
        was, now = (f'"inode": {one.stat().st_ino}' for one in (house.project, other))
        assert was in path.read_text("utf-8")
        path.write_text(path.read_text("utf-8").replace(was, now), encoding="utf-8")
    house.project = other
    forget_paths()
    if where == "moved":
        assert len(house.harness(resume="one").agent.messages) == 2
    else:
        with pytest.raises(TranscriptError, match="resume it in /home/robin/tidebook"):
            house.harness(resume="one")


def test_every_message_behind_a_memory_is_named(house: House) -> None:
    harness = house.harness("one")
    house.model.faults.add("server_error", purpose="extract", times=9)
    talk(harness, "I prefer sesame bread.")
    house.model.faults.clear()
    both = "I prefer sesame bread. I prefer it toasted, with butter."
    house.answers("extract", [writes("bread.md", note(both))], "Saved.")
    talk(harness, "I prefer it toasted, with butter.")
    harness.forget("bread.md")
    assert {*house.store.history()[-1].withheld["one"]} == {*harness.agent.uuids[::2]}


def test_switched_off_an_extraction_stops_before_its_next_write(house: House) -> None:
    notes = [writes(f"note-{n}.md", note(f"{SECRET} {n}")) for n in range(3)]
    house.answers("extract", notes)  # over and over, until it is stopped
    harness = house.harness("one")

    async def work() -> None:
        await harness.say(SECRET)
        while not house.files():
            await asyncio.sleep(0)
        harness.switch("off")
        await harness.drain()

    run(work())
    assert [*house.files()] == ["note-0.md"]
    assert harness.notices == ["Saved to memory: note-0.md"]
    harness.switch("full")
    house.model.roles.clear()
    talk(harness, "Hello.")
    assert [*house.files()] == ["note-0.md"]  # what was stopped is not taken up again


@pytest.mark.parametrize("moment", ["reading", "deciding"])
def test_so_does_a_dream(house: House, moment: str) -> None:
    house.fill(tabs=TABS)

    def reading(request: Any) -> Any:
        if moment == "reading":
            harness.switch("off")
        return [writes("tabs.md", note("Tabs, not spaces, ever."))]

    async def decide(receipt: Any) -> Any:
        if moment == "deciding":
            harness.switch("off")
        return {one.file for one in receipt.accepted}

    harness = house.harness("one", decide=decide)
    house.answers("dream", [reads("tabs.md")], reading, "Done.")
    assert "The dream was stopped" in run(harness.dream_now()).notice
    assert house.files() == {"tabs.md": TABS}


@pytest.mark.behaviour("G3", "I9")
def test_what_a_drained_extraction_has_saved_is_named(house: House) -> None:
    facts = ["I prefer sesame bread.", "I row on Sundays.", "I live in Oslo."]
    steps = [[writes(f"note-{n}.md", note(fact))] for n, fact in enumerate(facts)]
    house.answers("extract", *steps)
    house.model.latency = {"extract": Latency(4.0, 0.0)}
    harness = house.harness("one")

    async def work() -> tuple[str, ...]:
        await harness.say(" ".join(facts))
        return await harness.drain()  # ten seconds

    assert run(work()) == ("after_turn",)
    assert [*house.files()] == ["note-0.md", "note-1.md"]
    assert harness.notices == ["Saved to memory: note-0.md, note-1.md"]
    assert house.events.of(ExtractionFailed)[-1].files == "note-0.md, note-1.md"
