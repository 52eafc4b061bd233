"""What a person switched off, declined or forgot stays so: over resumes, compaction and dreams."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from memlab.agent.transcript import TranscriptError
from memlab.evals.labelled import LABELLED
from memlab.events import Compacted, ExtractionCompleted, ExtractionFailed
from memlab.evidence.requests import asks_to_ignore_memory
from memlab.harness import Harness
from memlab.memdir.places import forget_paths
from memlab.memdir.toggles import Toggles
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
@pytest.mark.parametrize("typed", ["Please ignore memory.", "/memory ignore"])
def test_a_request_to_ignore_memory_holds_for_the_session(house: House, typed: str) -> None:
    house.fill(tabs=TABS)
    harness = house.harness("one")
    talk(harness, "Hello.")
    before = len(house.model.requests)
    if typed.startswith("/"):
        harness.ignore_memory()
    else:
        talk(harness, typed)
    talk(harness, "Which indentation do I want? " + SECRET)
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


@pytest.mark.behaviour("E4")
def test_only_a_request_to_ignore_memory_is_one() -> None:
    labelled = yaml.safe_load((LABELLED / "ignore_memory.yaml").read_text("utf-8"))
    assert [one for one in labelled if asks_to_ignore_memory(one["said"]) != one["triggers"]] == []
    phrases = "ignore {}|Please ignore {}!|don't use {} for now|turn {} off|treat {} as empty"
    for phrase in f"{phrases}|From now on, ignore {{}}.".split("|"):
        for memory in ("memory", "your memory", "all memories", "everything in memory"):
            assert asks_to_ignore_memory(phrase.format(memory))
        for other in ("memory errors", "memory.py", "MEMORY.md", "memory and CPU limits"):
            assert not asks_to_ignore_memory(phrase.format(other))


@pytest.mark.behaviour("G2")
def test_the_mode_and_the_cursor_belong_to_the_session(house: House) -> None:
    harness = house.harness("one")
    talk(harness, SECRET)
    document = house.base / "conversations/one.json"
    created = json.loads(document.read_text("utf-8"))["created_at"]
    house.clock.advance(3_600)
    again = house.harness(resume="one")
    assert again.extractor.cursor == harness.agent.uuids[-1]
    talk(again, TEA)  # what was processed is not processed again
    assert house.events.of(ExtractionCompleted)[-1].first == again.agent.uuids[2]
    again.switch("off")
    mirrored = json.loads(document.read_text("utf-8"))
    assert (mirrored["state"]["mode"], mirrored["created_at"]) == ("off", created)
    document.unlink()
    off = house.harness(resume="one")
    assert (off.mode, off.notices[0][:8]) == ("off", "Resumed:")
    off.switch("full")
    assert house.harness(resume="one").mode == "full"
    assert house.harness(resume="one", mode="recall_only").mode == "recall_only"


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


def elsewhere(house: House, project: Path) -> Harness:
    """Resume the session in another folder."""
    forget_paths()
    house.project = project
    return house.harness(resume="one")


@pytest.mark.behaviour("G2")
@pytest.mark.parametrize("same_number", [False, True])
def test_a_session_of_another_project_is_refused(house: House, same_number: bool) -> None:
    talk(house.harness("one"), "Hello.")
    other = house.home / "boats"
    other.mkdir()
    if same_number:  # a folder's number may be used again
        path = house.folder / "one.jsonl"
        was, now = (f'"inode": {one.stat().st_ino}' for one in (house.project, other))
        assert was in path.read_text("utf-8")
        path.write_text(path.read_text("utf-8").replace(was, now), encoding="utf-8")
    with pytest.raises(TranscriptError, match="resume it in /home/robin/tidebook"):
        elsewhere(house, other)


@pytest.mark.parametrize("how", ["moved", "worktree"])
def test_a_moved_project_and_a_worktree_are_the_same(house: House, how: str) -> None:
    git, tree = house.project / ".git", house.home / "tree"
    if how == "worktree":
        for name in ("objects", "refs", "worktrees/tree"):
            (git / name).mkdir(parents=True)
        (git / "HEAD").write_text("ref: refs/heads/main\n")
        tree.mkdir()
        (tree / ".git").write_text(f"gitdir: {git / 'worktrees/tree'}\n")
        (git / "worktrees/tree/commondir").write_text("../..\n")
        (git / "worktrees/tree/gitdir").write_text(f"{tree / '.git'}\n")
        house.base.mkdir()
        (house.base / "settings.json").write_text('{"separate_worktrees": true}')
    talk(house.harness("one"), "Hello.")
    if how == "moved":
        house.project.rename(tree)
    harness = elsewhere(house, tree)
    assert harness.paths.project.top == tree
    assert len(harness.agent.messages) == 2


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


def test_a_dream_that_has_read_what_is_erased_meanwhile_keeps_nothing(house: House) -> None:
    house.fill(sesame=SECRET, tea="There is tea.", ferry="There is a ferry.", rope="There is rope.")
    harness, other = house.harness("one"), house.harness("two")

    def erased_meanwhile(request: Any) -> str:
        other.forget("sesame.md", for_good=True)
        return "Done."

    files = ("tea.md", "ferry.md", "rope.md")
    gone = [writes(one, "---\nname: gone\ndropped: nobody needs it\n---\n") for one in files]
    house.answers("dream", [reads(one) for one in files], gone, erased_meanwhile)
    task = run(harness.dream_now())
    assert "was erased for good" in task.notice
    assert not harness.dreams.waiting.there


def test_a_session_without_memory_is_none_to_dream_about(house: House) -> None:
    for number in range(5):
        talk(house.harness(f"off-{number}", mode="off"), "Hello.")
    harness = house.harness("one", toggles=Toggles(auto_dream=True))
    talk(harness, "Hello.")
    assert harness.dreams.report is not None
    shut = harness.dreams.report.shut
    assert shut is not None
    assert (shut.name, shut.reason[:2], shut.cost["listings"]) == ("sessions", "0 ", 1)


def test_switched_off_an_extraction_stops_before_its_next_write(house: House) -> None:
    notes = [writes(f"note-{n}.md", note(f"{SECRET} {n}")) for n in range(3)]
    house.answers("extract", notes, "Saved.")
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
