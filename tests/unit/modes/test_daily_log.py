"""Daily-log mode: what a person notices of it over turns, sessions, midnight and the night."""

from __future__ import annotations

from datetime import timedelta, timezone
from typing import Any

import pytest

from memlab.events import DreamStarted, ExtractionSkipped
from memlab.evidence.origin import Origin
from memlab.harness import Harness
from memlab.memdir.toggles import Toggles
from tests.house import SHOWN, House, note, reads, run, talk, use, words, writes

LOG, NEXT = "logs/2026/03/2026-03-30.md", "logs/2026/03/2026-03-31.md"
TEA = "I prefer tea, always, in all my breaks."
MORNING = "- Robin: tabs, not spaces\n- Robin: the ferry sails at 07:40\n"


def on(house: House, session: str = "") -> Harness:
    return house.harness(session, toggles=Toggles(daily_log=True, auto_dream=True))


def put(house: House, text: str) -> None:
    (house.memory / LOG).parent.mkdir(parents=True)
    (house.memory / LOG).write_text(text, encoding="utf-8")


def dream(harness: Harness, house: House, *steps: Any) -> None:
    house.answers("dream", *steps)
    run(harness.dream_now(policy="apply"))


@pytest.mark.behaviour("L3", "E1", "A5")
def test_midnight_keeps_the_cached_prefix(house: House) -> None:
    """The prompt has the path's pattern and no date; the person's day is a reminder."""
    zone = timezone(timedelta(hours=8), "CST")
    house.clock.local = lambda moment: moment.astimezone(zone)  # type: ignore
    house.clock.advance(6 * 3600 + 3559)  # 23:59:19 in Shanghai
    harness = on(house)
    talk(harness, "I prefer tabs.")
    house.clock.advance(60)
    talk(harness, "I prefer coffee to tea.")
    main = [one for one in house.model.requests if one.purpose == "main"]
    texts = [words(one.body["messages"][-1]) for one in main]
    at = next(n for n, text in enumerate(texts) if "coffee" in text)
    assert ("2026-03-30" in texts[0], "2026-03-31" in texts[at]) == (True, True)
    prompt = str(main[0].body["system"])
    assert "logs/YYYY/MM/YYYY-MM-DD.md" in prompt
    assert "2026-03" not in prompt
    before, after = main[at - 1].account, main[at].account
    assert after.read == before.read + before.created > 0
    assert house.files()[LOG] == "- I prefer tabs.\n"
    assert house.files()[NEXT] == "- I prefer coffee to tea.\n"


@pytest.mark.behaviour("L3")
def test_what_is_said_goes_to_the_log_and_not_to_memory(house: House) -> None:
    house.clock.advance(3 * 86_400)  # a dream would be due, and none starts by itself
    harness, day = on(house, "one"), "logs/2026/04/2026-04-02.md"
    talk(harness, "Remember that the ferry sails at 07:40.", "I prefer tabs.", "Hi.")
    text = "- Remember: the ferry sails at 07:40.\n- I prefer tabs.\n"
    assert house.files() == {day: text}
    reasons = {one.reason for one in house.events.of(ExtractionSkipped)}
    assert (reasons, house.events.of(DreamStarted)) == ({"daily log"}, [])
    assert [one.stamp.origin for one in harness.store.why(day)] == [Origin.PERSON] * 2
    (said,) = talk(on(house, "noon"), "What did I say this morning?")
    assert "sails at 07:40" in said.text
    # it goes for good, and the transcript that has its words is named
    harness.confirm(day)
    assert "/one.json" in harness.forget(day, for_good=True)
    everything = [path for path in house.memory.rglob("*") if path.is_file()]
    assert not [path for path in everything if b"07:40" in path.read_bytes()]


@pytest.mark.behaviour("L3")
def test_no_model_can_change_an_earlier_line(house: House) -> None:
    put(house, MORNING)
    path, more = {"file_path": f"{SHOWN}/{LOG}"}, "07:40\n- Robin: no, 08:10"
    files = ("tabs.md", "MEMORY.md", "logs/2026/03/2026-03-29.md", "logs/notes.md")
    edits = [use("Edit", **path, old_string="tabs, not", new_string="spaces, not")]
    edits += [use("Write", **path, content="- Robin: the ferry sails at 07:40\n")]
    edits += [writes(file, note("Tabs, not spaces.")) for file in files]
    edits += [use("Edit", **path, old_string="07:40", new_string=more)]
    house.plays({"go": [[reads(LOG)], *([one] for one in edits), "Done."]})
    (said,) = talk(on(house), "go")
    ran = [one.status == "ran" for one in said.turn.outcomes]
    assert ran == [True, *[False] * 6, True]
    dream(on(house), house, [reads(LOG)], [writes(LOG, "- mine\n")], "Done.")
    assert house.files() == {LOG: MORNING.replace("07:40", more)}


@pytest.mark.behaviour("L3", "J6", "K1")
def test_a_dream_by_hand_makes_memories_of_the_log(house: House) -> None:
    talk(on(house, "one"), "Remember that the ferry sails at 07:40.")
    (before,) = house.files().items()
    harness = on(house, "night")
    assert run(harness.dream_now()).phase == "done"
    assert before in house.files().items()
    (file,) = house.files().keys() - {LOG}
    *_, sentence = [one for one in harness.store.why(file) if "07:40" in one.text]
    assert [one.what for one in sentence.changes] == ["replace", "log"]
    assert harness.dreams.lock.last_consolidated_at()


@pytest.mark.behaviour("L3", "E4", "A10")
def test_what_was_forgotten_does_not_come_back_unseen(house: House) -> None:
    talk(on(house, "one"), TEA)
    write = [writes("tea.md", note(TEA, "Tea"))], "Done."
    first = on(house)
    dream(first, house, *write)
    first.forget("tea.md")
    dream(on(house), house, *write)
    assert house.files().keys() == {LOG}
    (waits,) = house.store.waiting()
    assert (waits.file, waits.closes_gate) == ("tea.md", True)
