"""What a person switched off, declined or forgot stays so: over resumes, compaction and dreams."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
import yaml

from memlab.agent.transcript import TranscriptError
from memlab.evals.labelled import LABELLED
from memlab.events import ExtractionCompleted, ExtractionFailed
from memlab.evidence.requests import asks_to_ignore_memory
from memlab.harness import Harness
from memlab.memdir.places import forget_paths
from memlab.models.offline import Latency
from memlab.text import request_text
from tests.house import SHOWN, House, note, reads, run, talk, use, writes

SECRET = "I prefer sesame bread, always, at every breakfast."
TEA = "I prefer tea, always, in all my breaks."
TABS = note("Tabs, not spaces.")
SAVE = [writes("sesame.md", note(SECRET))]


def compacts(harness: Harness) -> None:
    harness.agent.compact_at_tokens = 1
    talk(harness, "Hello.")
    harness.agent.compact_at_tokens = 10**6


def break_extraction(house: House, request: Any) -> Any:
    """Answer with the call that saves the secret, and fail from then on."""
    house.model.faults.add("server_error", purpose="extract", times=9)
    return SAVE


def tell(house: House, how: str) -> None:
    """Say the secret in session one, and keep it off the record."""
    asked = {"saving": "ask", "ask": lambda text: False} if "declined" in how else {}
    harness = house.harness("one", mode="off" * (how == "summarised"), **asked)
    if how in ("off", "recall_only"):
        talk(harness, "Hello.")
        harness.switch(how)
    elif how == "declined":
        house.plays({SECRET: [SAVE, "As you like."]})
        harness.agent.stop_hooks = ()  # killed before extraction could look at it
    elif "failed" in how:
        house.answers("extract", lambda request: break_extraction(house, request))
    talk(harness, SECRET)
    assert bool(house.events.of(ExtractionFailed)) == ("failed" in how)
    if how == "on request":
        talk(harness, "forget about the sesame bread")
    elif "forgotten" in how:
        other = house.harness("two")
        other.forget(*house.files(), for_good="for good" in how)
        assert [*house.store.history()[-1].withheld] == ["one"]
    harness.switch("full")
    if "summarised" in how:
        compacts(harness)
    house.model.roles.clear()
    house.model.faults.clear()


QUICK = ("off", "forgotten", "declined", "forgotten, summarised")
SLOW: Any = ("recall_only", "summarised", "declined, failed", "forgotten, failed")
SLOW += ("on request", "forgotten for good")
HOWS = [*QUICK, *(pytest.param(one, marks=pytest.mark.slow) for one in SLOW)]


@pytest.mark.behaviour("E4")
@pytest.mark.parametrize("how", HOWS)
def test_nobody_learns_it_later(house: House, how: str) -> None:
    tell(house, how)
    assert house.files() == {}
    before = len(house.model.requests)
    harness = house.harness(resume="one", mode="full")
    house.answers("main", "Yes.")
    talk(harness, TEA)
    search = {"pattern": "s.same|prefer", "path": SHOWN[:-7], "output_mode": "content"}
    looks = [use("Grep", **search), use("Grep", glob="**/.*", **search)]
    for command in (f"grep -r s.same {house.folder}", f"cat {house.folder}/*.jsonl"):
        looks.append(use("Bash", command=command))
    house.answers("dream", looks, "Nothing to do.")
    run(harness.dream_now())
    sent = [one for one in house.model.requests[before:] if one.purpose != "main"]
    forks = [request_text(one.body) for one in sent if one.purpose != "select"]
    assert "prefer tea" in forks[-1]  # the control
    assert not [text for text in forks if "sesame" in text]
    assert (len(house.files()), "sesame" in str(house.files())) == (1, False)
    if "summarised" not in how:  # the conversation itself goes on
        assert "sesame" in request_text(house.sent()[-1])


@pytest.mark.behaviour("E4")
def test_a_request_to_ignore_memory_holds_for_the_session(house: House) -> None:
    house.fill(tabs=TABS)
    harness = house.harness("one")
    talk(harness, "Hello.")
    before = len(house.model.requests)
    talk(harness, "Please ignore memory.", "Which indentation do I want? " + SECRET)
    assert "off for the rest of this session" in harness.notices[-1]
    assert {one.purpose for one in house.model.requests[before:]} == {"main"}
    assert not any("(tabs.md)" in str(body["system"]) for body in house.sent()[1:])
    assert not any("<memory " in request_text(body) for body in house.sent())
    assert house.files() == {"tabs.md": TABS}
    # no dream finds the session or what was said before; a resumed one has it all
    assert [*house.folder.glob("*.jsonl")] == []
    again = house.harness(resume="one")
    assert (again.mode, again.agent.messages) == ("off", harness.agent.messages)
    again.switch("full")
    talk(again, "Hello again.")
    assert [path.stem for path in house.folder.glob("*.jsonl")] == ["one"]
    assert house.harness(resume="one").agent.messages == again.agent.messages


@pytest.mark.behaviour("E4")
def test_only_a_request_to_ignore_memory_is_one() -> None:
    labelled = yaml.safe_load((LABELLED / "ignore_memory.yaml").read_text("utf-8"))
    said = [(one["said"], one["triggers"]) for one in labelled]
    assert len(said) > 20
    said.append(("Ignore memory.py for now.", False))
    assert [one for one, asks in said if asks_to_ignore_memory(one) != asks] == []


@pytest.mark.behaviour("G2")
def test_the_mode_and_the_cursor_belong_to_the_session(house: House) -> None:
    harness = house.harness("one")
    talk(harness, TEA)
    harness.agent.stop_hooks = ()  # a kill leaves this unprocessed
    talk(harness, SECRET)
    again = house.harness(resume="one")
    talk(again, "Hello.")
    # what was processed is not processed again
    assert house.events.of(ExtractionCompleted)[-1].first == again.agent.uuids[2]
    assert "sesame" in str(house.files())
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
    house.project.rename(other) if where == "moved" else other.mkdir()
    if where == "same number":  # a folder's number may be used again
        was, now = (f'"inode": {one.stat().st_ino}' for one in (house.project, other))
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


@pytest.mark.behaviour("G3", "I9")
@pytest.mark.parametrize("off", [True, False])
def test_what_a_stopped_extraction_has_saved_is_named(house: House, off: bool) -> None:
    facts = ["I prefer sesame bread.", "I row on Sundays.", "I live in Oslo."]
    steps = [[writes(f"note-{n}.md", note(fact))] for n, fact in enumerate(facts)]
    house.answers("extract", *steps)
    house.model.latency = {"extract": Latency(4.0, 0.0)}
    harness = house.harness("one")

    async def work() -> tuple[str, ...]:
        await harness.say(" ".join(facts))
        while off and not house.files():
            await asyncio.sleep(0)
        if off:
            harness.switch("off")
        return await harness.drain()  # ten seconds

    assert run(work()) == ("after_turn",) * (not off)
    saved = ["note-0.md", "note-1.md"][: 2 - off]
    assert [*house.files()] == saved
    assert harness.notices == [f"Saved to memory: {', '.join(saved)}"]
    harness.switch("full")
    house.model.roles.clear()
    talk(harness, "Hello.")
    assert not off or [*house.files()] == saved  # it is not taken up again


@pytest.mark.parametrize("moment", ["reading", "deciding"])
def test_switched_off_a_dream_stops_too(house: House, moment: str) -> None:
    house.fill(tabs=TABS)

    def reading(request: Any) -> Any:
        if moment == "reading":
            harness.switch("off")
        return [writes("tabs.md", note("Tabs, not spaces, ever."))]

    async def decide(receipt: Any) -> Any:
        harness.switch("off")
        return {one.file for one in receipt.accepted}

    harness = house.harness("one", decide=decide)
    house.answers("dream", [reads("tabs.md")], reading, "Done.")
    assert "The dream was stopped" in run(harness.dream_now()).notice
    assert house.files() == {"tabs.md": TABS}
