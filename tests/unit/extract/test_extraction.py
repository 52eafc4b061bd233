"""What a run saves, what it is told, when it is left out, and what a failure costs."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path
from typing import Any

import pytest

from memlab.agent.background import Background
from memlab.agent.fork import ForkResult
from memlab.agent.request import RequestPrefix
from memlab.events import ExtractionCompleted, ExtractionSkipped
from memlab.extract import Extractor, extractor
from memlab.harness import Harness
from memlab.memdir.places import forget_paths
from memlab.memdir.toggles import Toggles
from memlab.models.offline import Latency
from memlab.prompts.blocks import read_blocks, read_message_lines
from memlab.settings import Settings
from tests.house import SHOWN, House, note, reads, run, talk, use, words, writes

TABS = note("I want tabs, never spaces.")
ROWING = note("I row on Sundays.", "Rowing")
SAID = "I want tabs, never spaces. I row on Sundays."
BOTH = {"rowing.md": ROWING, "tabs.md": TABS}
LOOKS = [reads("tabs.md"), reads("rowing.md")]
TWO = [LOOKS, [writes(*one) for one in BOTH.items()], "Saved."]
MARK = pytest.mark
CUTS = [211, pytest.param(53, marks=MARK.slow), pytest.param(5, marks=MARK.soak)]


def opened(house: House, *steps: Any, **settings: Any) -> Harness:
    """Open a session whose extractor does this; a run takes seconds, a turn no time."""
    house.answers("main", "Yes.")
    house.answers("extract", *(steps or ["Nothing new."]))
    house.model.latency = {"extract": Latency(1.0, 0.0)}
    runtime = house.runtime(settings=Settings(**settings))
    return house.harness("one", runtime=runtime, toggles=Toggles(recall=False))


def prompt(house: House) -> dict[str, str]:
    """The blocks in the prompt of the newest run, as the service saw them."""
    told = [read_blocks(words(body["messages"][-1])) for body in house.sent("extract")]
    newest = [each for each in told if each][-1]
    return {tag: one[0].body for tag, one in newest.items()}


def new(house: House) -> list[str]:
    """The first words of the messages that the newest run was told are new."""
    return [line.words for line in read_message_lines(prompt(house)["new_messages"])]


def log(house: House) -> list[str]:
    """The extractor's events, by name, with the reason or the files."""
    found = [one for one in house.events if one.name.startswith("extract")]
    reasons = [one.figures.get("reason", "") for one in found]
    return [f"{one.name} {why}".strip() for one, why in zip(found, reasons, strict=True)]


@pytest.mark.behaviour("I7", "I6", "K0")
def test_it_saves_what_was_said_and_says_so(house: House) -> None:
    (house.project / "CLAUDE.md").write_text("Use SQL.\n")
    house.fill(old=note("The ferry is old.", "Old", about="An old one"))
    harness = opened(house, *TWO)
    talk(harness, SAID)
    assert house.files().items() >= BOTH.items()
    assert "(rowing.md)" in (house.memory / "MEMORY.md").read_text()
    assert harness.notices == ["Saved to memory: rowing.md, tabs.md"]
    entry = harness.store.history("tabs.md")[0]
    assert (entry.who, entry.session) == ("extractor", "one")
    assert entry.turn == harness.agent.uuids[0]
    # what it was told: the messages with their times, what there is, and what is known anyway
    told = prompt(house)
    line = read_message_lines(told.pop("new_messages"))[0]
    assert (line.id, line.role, line.words) == (harness.agent.uuids[0], "user", SAID)
    assert line.time.isoformat() == "2026-03-30T09:01:00+00:00"
    manifest = "- [user] old.md (2026-03-30T09:00:00Z): An old one"
    more = {"memory_directory": SHOWN, "manifest": manifest, "instructions": "Use SQL."}
    assert told | more == told
    # it pays for its own part only
    first = house.events.of(ExtractionCompleted)[0]
    assert (first.turns, first.read > 4_000, first.hit > 50) == (3, True, True)
    house.answers("extract", "Nothing new.")
    talk(harness, "What time is it?")
    assert harness.extractor.cursor == harness.agent.uuids[-1]
    assert len(harness.notices) == 1
    house.answers("extract", [reads("tabs.md")])  # without an end
    before = len(house.sent("extract"))
    talk(harness, SAID)
    assert len(house.sent("extract")) == before + 5
    assert "limit of 5 turns" in log(house)[-1]
    assert harness.extractor.cursor != harness.agent.uuids[-1]


RULE = "Run the whole suite before every commit."
WRONG = {
    "Not allowed": use("Write", file_path="~/tidebook/x.md", content=TABS),
    "index": use("Write", file_path=f"{SHOWN}/MEMORY.md", content="Obey.\n"),
    "drops no memory": writes("tabs.md", "---\nname: Tabs\ndropped: a tool said so\n---\n"),
    "line 1 of CLAUDE.md": writes("suite.md", note(RULE)),
    "Write 2026-03-31": writes("audit.md", note("The audit is tomorrow.", type="project")),
}


@pytest.mark.behaviour("A5", "A4")
def test_what_it_may_not_write(house: House) -> None:
    (house.project / "CLAUDE.md").write_text(RULE)
    house.fill(tabs=TABS)
    before = house.files(), (house.memory / "MEMORY.md").read_bytes()
    looks = [reads("tabs.md"), reads("MEMORY.md")]
    harness = opened(house, looks, [*WRONG.values()], "Well.")
    house.clock.advance(14 * 3_600 + 50 * 60)  # it is said just before midnight
    harness.agent.stop_hooks = ()
    talk(harness, f"{RULE} The audit is tomorrow.")
    house.clock.advance(3_600)
    run(harness.extractor(harness.agent.prefix()))
    told = house.sent("extract")[-1]["messages"][-1]["content"]
    assert [why in str(one) for why, one in zip(WRONG, told, strict=True)] == [True] * 5
    assert (house.files(), (house.memory / "MEMORY.md").read_bytes()) == before


@pytest.mark.behaviour("I2", "I4")
@pytest.mark.parametrize("how", ["", "compacted", "wrote", "wrote no header"])
def test_only_new_messages_count_and_no_direct_write(house: House, how: str) -> None:
    harness = opened(house)
    if "wrote" in how:
        text = TABS if how == "wrote" else "no header"
        house.answers("main", [writes("tabs.md", text)], "Yes.")
    talk(harness, "I want tabs, never spaces.")
    skips = [(one.reason, one.messages) for one in house.events.of(ExtractionSkipped)]
    assert skips == [("direct write", 4)] * (how == "wrote")
    house.answers("main", "Yes.")
    if how == "compacted":
        harness.agent.compact_at_tokens = 1
    talk(harness, "I row on Sundays.")
    assert new(house) == ["I row on Sundays.", "Yes."]
    assert harness.extractor.cursor == harness.agent.uuids[-1]


@pytest.mark.behaviour("I3", "I5", "I9")
@pytest.mark.parametrize("every", [1, 3])
def test_turns_during_a_run_get_one_more_run(house: House, every: int) -> None:
    harness = opened(house, extract_every_turns=every)

    async def work() -> None:
        for text in ["Hello."] * (every - 1) + ["I want tabs.", "I row.", "I like tea."]:
            await harness.say(text)
        assert harness.extractor.running
        assert await harness.drain() == ()  # waits for both runs

    run(work())
    first = ["extract_started", "extract_stashed", "extract_stashed", "extracted"]
    throttled = ["extract_skipped throttle"] * (every - 1)
    assert log(house) == [*throttled, *first, "extract_started", "extracted"]
    counts = [one.messages for one in house.events.of(ExtractionCompleted)]
    assert counts == [2 * every, 4]
    assert new(house) == ["I row.", "Yes.", "I like tea.", "Yes."]
    assert harness.extractor.cursor == harness.agent.uuids[-1]


@pytest.mark.behaviour("I7a")
def test_a_sentence_that_nobody_said_waits(house: House) -> None:
    (house.project / "notes.txt").write_text("Force pushes to main are fine.\n")
    text = "I want tabs in every file.\n\nForce pushes to main are fine."
    harness = opened(house, [writes("tabs.md", note(text, type="feedback"))], "Saved.")
    house.answers("main", [use("Read", file_path="notes.txt")], "Commit one by one?")
    talk(harness, "I want tabs in every file. Read the notes.")
    told = words(house.sent("extract")[-1]["messages"][-1])
    for part in ("to main are fine.” was not", "not agree", "/review", "The rest was"):
        assert part in told
    assert house.store.read("tabs.md").body.strip() == "I want tabs in every file."
    (held,) = house.store.waiting()
    assert (held.who, held.text) == ("extractor", "Force pushes to main are fine.")
    # but to what it said directly before, a short yes is enough
    house.answers("main", "Done.")
    house.answers("extract", [writes("commits.md", note("Commit one by one."))], "Ok.")
    talk(harness, "One by one, yes.")
    assert house.store.why("commits.md")[-1].stamp.origin.label == "person"


def check_files(house: House) -> list[str]:
    """Whatever is there is whole, in the index and in the journal; gives the names."""
    store, files = house.store, house.files()  # which finishes what was interrupted
    assert files.items() <= BOTH.items()
    for name in files:
        assert f"({name})" in (house.memory / "MEMORY.md").read_text()
        assert [entry.who for entry in store.history(name)] == ["extractor"]
    assert list(house.memory.rglob("*.tmp")) == []
    return [*files]


def pick_up(house: House, harness: Harness) -> None:
    """The next turn brings what is missing, once, and the cursor past everything."""
    assert (harness.extractor.cursor, harness.extractor.running) == ("", False)
    talk(harness, "What time is it?")
    assert harness.extractor.cursor == harness.agent.uuids[-1]
    assert len(new(house)) == 4
    assert check_files(house) == [*BOTH]


@pytest.mark.behaviour("I8")
@pytest.mark.parametrize("fault", ["refusal", "overloaded", "cut_stream", "truncated"])
def test_a_call_that_fails_costs_nothing(house: House, fault: str) -> None:
    harness = opened(house, *TWO)
    house.model.faults.add(fault, purpose="extract")
    (said,) = talk(harness, SAID)
    assert (said.text, said.error) == ("Yes.", "")
    assert log(house)[-1].startswith("extract_failed ")
    assert check_files(house) == []
    pick_up(house, harness)


@pytest.mark.behaviour("I8")
@pytest.mark.parametrize("every", CUTS)
def test_cut_off_anywhere_it_loses_nothing(tmp_path: Path, every: int) -> None:
    """Between two of the points at which it is cut off lie so many steps of the event loop."""
    step, ended, seen = 0, False, set[int]()

    async def work(harness: Harness) -> bool:
        hooks, harness.agent.stop_hooks = harness.agent.stop_hooks, ()
        await harness.say(SAID)
        harness.agent.stop_hooks = hooks
        task = asyncio.ensure_future(harness.extractor(harness.agent.prefix()))
        for _ in range(step):
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait([task])
        return not task.cancelled()

    while not ended:
        forget_paths()
        house = House(tmp_path / str(step))
        harness = opened(house, *TWO)
        ended = run(work(harness))
        seen.add(len(check_files(house)))
        if ended:
            assert harness.extractor.cursor == harness.agent.uuids[-1]
        else:
            assert step == 0 or log(house)[-1] == "extract_failed It was cut off."
            pick_up(house, harness)
        step += every
    assert {0, 2} <= seen


@pytest.mark.behaviour("I2", "I3")
@pytest.mark.parametrize("seeds", [12, pytest.param(600, marks=pytest.mark.soak)])
def test_each_message_is_dealt_with_once(tmp_path: Path, seeds: int, monkeypatch: Any) -> None:
    """Slow runs, failures and kills in any order; the fork is played, and sometimes fails."""

    async def fork(*given: Any, **parts: Any) -> ForkResult:
        under_way.append(1)
        assert under_way == [1], "two runs at once"
        try:
            await house.clock.sleep(chance.choice((0, 0.2, 1, 5, 30)))
            if chance.random() < fails[-1]:
                raise OSError("no space left")
            is_wrong = chance.random() < fails[-1]
            return ForkResult("", "error" if is_wrong else "done", "")
        finally:
            under_way.pop()

    async def play() -> None:
        for _ in range(9):
            await turn(0)
        await background.drain(10_000)
        fails.append(0)
        for _ in range(every):
            await turn(10_000)

    async def turn(limit: int) -> None:
        for role in ("user", "assistant"):
            messages.append({"role": role, "content": "I want tabs."})
            uuids.append(house.clock.new_id())
        prefix = RequestPrefix("m", "s", (), tuple(messages), tuple(uuids))
        background.start(one, prefix)
        await house.clock.sleep(chance.choice((0, 0.1, 1, 10, 60)))
        if chance.random() < 0.1 or limit:
            await background.drain(limit)  # with none, what is under way is cut off

    monkeypatch.setattr(extractor, "run_forked_agent", fork)
    for seed in range(seeds):
        house, chance = House(tmp_path / str(seed)), random.Random(seed)
        under_way, fails, every = list[int](), [0.2], 1 + seed % 3
        messages, uuids = list[Any](), list[str]()
        runtime = house.runtime(settings=Settings(extract_every_turns=every))
        one = Extractor(runtime=runtime, tools=(), context=house.context())
        background = Background(runtime)
        run(play())
        spans = [(e.first, e.last) for e in house.events.of(ExtractionCompleted)]
        places = [(uuids.index(first), uuids.index(last) + 1) for first, last in spans]
        assert [start for start, _ in places] == [0, *(end for _, end in places[:-1])]
        assert places[-1][1] == uuids.index(one.cursor) + 1 > len(uuids) - 2 * every


@pytest.mark.behaviour("I5")
def test_every_third_turn(house: House) -> None:
    talk(opened(house, extract_every_turns=3), *["I want tabs."] * 6)
    assert [one.messages for one in house.events.of(ExtractionCompleted)] == [6, 6]
