"""What a person switched off, declined or forgot stays so: over resumes, compaction and dreams."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from memlab.agent.transcript import TranscriptError
from memlab.evals.labelled import LABELLED
from memlab.events import Compacted, ExtractionCompleted, ExtractionFailed
from memlab.evidence.requests import asks_to_ignore_memory
from memlab.harness import Harness
from memlab.memdir.folder import MOST_READ
from memlab.memdir.places import forget_paths
from memlab.memdir.store import MemoryStore
from memlab.memdir.toggles import Toggles
from memlab.models.offline import Latency
from memlab.models.request import ModelRequest
from memlab.models.standin.answer import answer as standin
from memlab.models.wire import Reply, say
from memlab.text import request_text
from tests.unit.agent.helpers import run, use
from tests.unit.dream.helpers import dreamer
from tests.unit.test_harness import MEMORY, TABS, House, house, talk, write

assert house  # the fixture

SECRET = "I prefer sesame bread, always, at every breakfast."
TEA = "I prefer tea, always, in all my breaks."
IGNORE = yaml.safe_load((LABELLED / "ignore_memory.yaml").read_text("utf-8"))
NOTE = "---\nname: {0}\ndescription: {1}\ntype: user\n---\n\n{1}\n"


def read_by_dream(house: House, harness: Harness, *calls: Mapping[str, Any]) -> str:
    """What a dream sees: its requests with all that its tools gave it."""
    with dreamer(house.model, list(calls), "Nothing to do."):
        run(harness.dream_now)
    return "\n".join(request_text(body) for body in house.sent("dream"))


def grep(house: House, pattern: str) -> list[Mapping[str, Any]]:
    """Search the transcripts in every way that a fork has."""
    sessions = MEMORY.removesuffix("/memory")
    return [
        use("Grep", pattern=pattern, path=sessions, output_mode="content"),
        use("Grep", pattern=pattern, path=sessions, glob="**/.*", output_mode="content"),
        use("Bash", command=f"grep -r {pattern} {house.folder}"),
        use("Bash", command=f"cat {house.folder}/*.jsonl"),
    ]


def forked(house: House) -> str:
    """All that extraction forks were sent."""
    return "\n".join(request_text(body) for body in house.sent("extract"))


def fails_after_its_writes(house: House) -> None:
    """Let every run of the extractor fail at its second call."""

    def answer(request: ModelRequest) -> Reply:
        house.model.faults.add("server_error", purpose="extract", times=9)
        return standin(request, (), house.model.settings).reply

    house.model.roles["extract"] = answer


class TestResume:
    def test_what_was_said_while_saving_was_off_is_not_saved(self, house: House) -> None:
        talk(house.harness("one", mode="recall_only"), SECRET)
        talk(house.harness(resume="one", mode="full"), TEA)
        assert len(house.names()) == 1
        assert "sesame" not in (house.memory / house.names()[0]).read_text("utf-8")
        assert "sesame" not in forked(house)
        assert "sesame" in request_text(house.sent()[-1])  # the conversation itself goes on

    @pytest.mark.behaviour("G2")
    def test_the_mode_belongs_to_the_session(self, house: House) -> None:
        harness = house.harness("one")
        talk(harness, "Hello.")
        harness.switch("off")
        again = house.harness(resume="one")
        assert again.mode == "off"
        talk(again, SECRET)
        assert house.names() == []
        again.switch("full")
        assert house.harness(resume="one").mode == "full"
        assert house.harness(resume="one", mode="recall_only").mode == "recall_only"

    @pytest.mark.behaviour("G2")
    def test_nothing_processed_is_processed_again(self, house: House) -> None:
        talk(house.harness("one"), SECRET)
        first = house.events.of(ExtractionCompleted)[-1].last
        harness = house.harness(resume="one")
        assert harness.extractor.cursor == first
        talk(harness, TEA)
        assert house.events.of(ExtractionCompleted)[-1].first == harness.agent.uuids[2]

    def test_what_a_kill_left_unprocessed_is_processed(self, house: House) -> None:
        house.model.faults.add("server_error", purpose="extract", times=9)
        talk(house.harness("one"), SECRET)
        house.model.faults.clear()
        harness = house.harness(resume="one")
        talk(harness, "Hello.")
        assert len(house.names()) == 1

    @pytest.mark.parametrize("cut", [1, 20, 200])
    def test_a_torn_record_counts_as_not_there(self, house: House, cut: int) -> None:
        harness = house.harness("one", mode="recall_only")
        talk(harness, "Hello.")
        harness.switch("off")
        path = house.base / "off-the-record" / house.folder.name / "one.jsonl"
        path.write_bytes(path.read_bytes()[:-cut])
        assert house.harness(resume="one").mode in ("recall_only", "off")

    def test_what_was_declined_is_not_saved(self, house: House) -> None:
        house.plays({SECRET: [[write("sesame.md", NOTE.format("Bread", SECRET))], "As you like."]})
        harness = house.harness("one", saving="ask", ask=lambda question: False)
        talk(harness, SECRET, drain=False)  # killed before extraction could look at it
        talk(house.harness(resume="one"), TEA)
        assert len(house.names()) == 1
        assert "sesame" not in forked(house)

    def test_what_extraction_was_refused_is_not_asked_for_again(self, house: House) -> None:
        harness = house.harness("one", saving="ask", ask=lambda question: False)
        fails_after_its_writes(house)
        talk(harness, SECRET)
        assert house.events.of(ExtractionFailed)
        house.model.roles.clear()
        house.model.faults.clear()
        talk(house.harness(resume="one"), TEA)
        assert ["tea" in name or "break" in name for name in house.names()] == [True]

    @pytest.mark.parametrize("for_good", [False, True])
    def test_what_was_forgotten_does_not_come_back(self, house: House, for_good: bool) -> None:
        talk(house.harness("one"), SECRET)
        (file,) = house.names()
        house.harness("two").forget(file, for_good=for_good)
        harness = house.harness(resume="one")
        assert SECRET in json.dumps(harness.agent.messages)  # the conversation has it still
        talk(harness, TEA)
        assert len(house.names()) == 1
        assert "sesame" not in forked(house).split(TEA)[-1]
        entry = MemoryStore(house.memory).history()[-2]
        assert list(entry.withheld) == ["one"]
        assert "sesame" not in json.dumps(entry.withheld)

    @pytest.mark.behaviour("G2")
    def test_a_session_of_another_project_is_refused(self, house: House) -> None:
        talk(house.harness("one"), "Hello.")
        other = house.home / "boats"
        other.mkdir()
        with pytest.raises(TranscriptError) as refused:
            elsewhere(house, other, resume="one")
        assert str(refused.value) == (
            "session 'one' belongs to another project: resume it in /home/robin/tidebook"
        )

    def test_the_number_of_a_folder_alone_does_not_make_it_the_same(self, house: House) -> None:
        talk(house.harness("one"), "Hello.")
        other = house.home / "boats"
        other.mkdir()
        path = house.folder / "one.jsonl"
        numbers = [house.project.stat().st_ino, other.stat().st_ino]
        was, now = [f'"inode": {number}' for number in numbers]
        text = path.read_text("utf-8")
        assert was in text
        path.write_text(text.replace(was, now), encoding="utf-8")
        with pytest.raises(TranscriptError, match="belongs to another project"):
            elsewhere(house, other, resume="one")

    def test_a_moved_project_is_the_same(self, house: House) -> None:
        talk(house.harness("one"), "Hello.")
        moved = house.project.rename(house.home / "tidebook-2")
        forget_paths()
        harness = elsewhere(house, moved, resume="one")
        talk(harness, "Hello again.")
        assert "Hello." in request_text(house.sent()[-1])

    def test_a_worktree_is_the_same(self, house: House) -> None:
        git = house.project / ".git"
        for name in ("objects", "refs", "worktrees/tree"):
            (git / name).mkdir(parents=True)
        (git / "HEAD").write_text("ref: refs/heads/main\n")
        tree = house.home / "tree"
        tree.mkdir()
        (tree / ".git").write_text(f"gitdir: {git / 'worktrees/tree'}\n")
        (git / "worktrees/tree/commondir").write_text("../..\n")
        (git / "worktrees/tree/gitdir").write_text(f"{tree / '.git'}\n")
        house.base.mkdir(exist_ok=True)
        (house.base / "settings.json").write_text('{"separate_worktrees": true}')
        forget_paths()
        talk(house.harness("one"), "Hello.")
        harness = elsewhere(house, tree, resume="one")
        assert harness.paths.project.top == tree
        assert harness.folder != house.folder
        assert len(harness.agent.messages) == 2

    def test_the_document_mirrors_it(self, house: House) -> None:
        harness = house.harness("one")
        talk(harness, "Hello.")
        harness.switch("off")
        document = house.base / "conversations" / "one.json"
        first = json.loads(document.read_text("utf-8"))
        assert first["state"]["mode"] == "off"
        house.clock.advance(3_600)
        talk(house.harness(resume="one"), "Hello again.")
        second = json.loads(document.read_text("utf-8"))
        assert second["created_at"] == first["created_at"]
        document.unlink()
        assert house.harness(resume="one").mode == "off"


def elsewhere(house: House, project: Path, **more: Any) -> Harness:
    harness = house.harness
    old = type(house).project
    try:
        type(house).project = property(lambda self: project)  # type: ignore[assignment]
        return harness(**more)
    finally:
        type(house).project = old  # type: ignore[method-assign]


class TestForgetting:
    def test_not_through_compaction(self, house: House) -> None:
        harness = house.harness("one")
        talk(harness, SECRET)
        harness.forget(house.names()[0])
        harness.agent.compact_at_tokens = 1
        talk(harness, TEA)
        assert house.events.of(Compacted)
        assert len(house.names()) == 1
        assert "sesame" not in (house.memory / house.names()[0]).read_text("utf-8")
        assert "sesame" not in read_by_dream(house, house.harness("two"), *grep(house, "s.same"))

    @pytest.mark.parametrize("for_good", [False, True])
    def test_not_through_a_dream(self, house: House, for_good: bool) -> None:
        harness = house.harness("one")
        talk(harness, SECRET)
        other = house.harness("two")
        other.forget(house.names()[0], for_good=for_good)
        seen = read_by_dream(house, harness, *grep(house, "breakfast"))
        assert "at every breakfast" not in seen
        assert "breakfast" in request_text(house.sent()[-1])  # only the dream goes without it

    def test_nor_when_the_agent_was_asked_to_forget(self, house: House) -> None:
        harness = house.harness("one")
        talk(harness, "Remember that I take my coffee black.", "forget about the coffee")
        assert house.names() == []
        seen = read_by_dream(house, house.harness("two"), *grep(house, "coffee.black"))
        assert "coffee black" not in seen

    def test_a_failed_run_does_not_bring_it_back(self, house: House) -> None:
        harness = house.harness("one")
        fails_after_its_writes(house)
        talk(harness, SECRET)
        assert house.events.of(ExtractionFailed)
        house.model.roles.clear()
        house.model.faults.clear()
        harness.forget(house.names()[0])
        talk(harness, TEA)
        assert len(house.names()) == 1
        assert "sesame" not in (house.memory / house.names()[0]).read_text("utf-8")

    def test_every_message_behind_a_memory_is_named(self, house: House) -> None:
        both = NOTE.format("Bread", "Prefers sesame bread. Prefers it toasted, with butter.")

        def answer(request: ModelRequest) -> Reply:
            if request.answers_since:
                return Reply([say("Saved.")])
            return Reply([{"type": "tool_use", "id": "t1", **write("bread.md", both)}])

        house.model.roles["extract"] = answer
        harness = house.harness("one")
        house.model.faults.add("server_error", purpose="extract", times=9)
        talk(harness, "I prefer sesame bread.")
        house.model.faults.clear()
        talk(harness, "I prefer bread toasted, with butter.")
        assert house.names() == ["bread.md"]
        harness.forget("bread.md")
        said = [
            uuid
            for uuid, one in zip(harness.agent.uuids, harness.agent.messages, strict=True)
            if one["role"] == "user"
        ]
        assert set(harness.store.history()[-1].withheld["one"]) == set(said)

    def test_what_is_erased_is_searched_for_in_all_that_memlab_keeps(self, house: House) -> None:
        harness = house.harness("one")
        talk(harness, SECRET)
        talk(house.harness("two", mode="off"), SECRET)
        for name in ("chat_history", "projects/-home-robin-boats/three.jsonl"):
            (house.base / name).parent.mkdir(exist_ok=True)
            (house.base / name).write_text(SECRET)
        hidden = house.memory / ".vault"
        hidden.mkdir()
        (hidden / "copy.md").write_text(SECRET)
        told = harness.forget(house.names()[0], for_good=True)
        left = [
            path.relative_to(house.base)
            for path in sorted(house.base.rglob("*"))
            if path.is_file() and b"sesame" in path.read_bytes()
        ]
        assert len(left) == 7
        for path in left:
            assert path.as_posix().removeprefix(f"{MEMORY.removeprefix('~/.memlab/')}/") in told
        assert "one.jsonl" not in told  # its words are off the record by then

    def test_a_dream_that_has_read_it_keeps_nothing(self, house: House) -> None:
        store = house.harness("zero").store
        for number, word in enumerate(("sesame", "tea", "ferry", "rope")):
            store.write_text(f"{word}.md", NOTE.format(number, f"There is {word} here."))
        harness, other = house.harness("one"), house.harness("two")

        def erased_meanwhile(request: Any) -> str:
            other.forget("sesame.md", for_good=True)
            return "Done."

        gone = [
            write(f"{word}.md", f"---\nname: gone\ndropped: no more {word}\n---\n")
            for word in ("tea", "ferry", "rope")
        ]
        reads = [use("Read", file_path=one["input"]["file_path"]) for one in gone]
        with dreamer(house.model, reads, gone, erased_meanwhile):
            task = run(harness.dream_now)
        assert "was erased for good" in task.notice
        assert not harness.dreams.waiting.there

    def test_a_file_too_large_to_be_searched_is_named(self, house: House) -> None:
        harness = house.harness("one")
        harness.store.write_text("tabs.md", TABS, who="user")
        with (house.memory / "huge.md").open("wb") as file:
            file.truncate(MOST_READ + 1)
        told = harness.forget("tabs.md", for_good=True)
        assert "huge.md (too large to be searched)" in told
        assert harness.store.history()[-1].what == "forget"

    def test_very_deep_folders_are_searched_too(self, house: House) -> None:
        harness = house.harness("one")
        harness.store.write_text("tabs.md", TABS, who="user")
        deepest = house.folder.joinpath(*"f" * sys.getrecursionlimit())
        for folder in (deepest, *deepest.parents)[sys.getrecursionlimit() - 1 :: -1]:
            folder.mkdir()
        try:
            told = harness.forget("tabs.md", for_good=True)
        finally:
            os.removedirs(deepest)  # what pytest would remove recursively
        assert "No other memory" in told


class TestMemoryOff:
    def test_a_dream_does_not_read_what_was_said(self, house: House) -> None:
        harness = house.harness("one")
        talk(harness, "Hello.")
        harness.switch("off")
        talk(harness, SECRET)
        harness.switch("full")
        talk(harness, TEA)
        seen = read_by_dream(house, harness, *grep(house, "sesame"), *grep(house, "tea"))
        assert "prefer tea" in seen
        assert "sesame bread" not in seen

    def test_nor_in_the_summary_of_it(self, house: House) -> None:
        harness = house.harness("one", mode="off")
        talk(harness, SECRET)
        harness.switch("full")
        harness.agent.compact_at_tokens = 1
        talk(harness, TEA)
        harness.agent.compact_at_tokens = 10**6
        assert house.events.of(Compacted)
        assert "sesame" not in (house.folder / "one.jsonl").read_text("utf-8")
        assert "sesame" not in forked(house)
        again = house.harness(resume="one")
        assert again.agent.messages == harness.agent.messages
        assert again.agent.uuids == harness.agent.uuids

    def test_resume_reads_it_all(self, house: House) -> None:
        harness = house.harness("one", mode="off")
        talk(harness, SECRET)
        assert not (house.folder / "one.jsonl").exists()
        again = house.harness(resume="one")
        assert again.agent.messages == harness.agent.messages
        again.switch("full")
        talk(again, "Hello.")
        again.switch("off")
        talk(again, "Goodbye.")
        assert house.harness(resume="one").agent.messages == again.agent.messages
        assert (house.folder / "one.jsonl").exists()

    @pytest.mark.behaviour("E4")
    @pytest.mark.parametrize("typed", ["Please ignore memory.", "/memory ignore"])
    def test_a_request_to_ignore_memory_holds_for_the_whole_session(
        self, house: House, typed: str
    ) -> None:
        harness = house.harness("one")
        harness.store.write_text("tabs.md", TABS, who="user")
        talk(harness, "Hello.")
        assert (house.folder / "one.jsonl").exists()
        before = len(house.model.requests)
        if typed.startswith("/"):
            harness.ignore_memory()
        else:
            talk(harness, typed)
        talk(harness, "Which indentation do I want? " + SECRET)
        assert harness.notices[-1].startswith("Memory is off for the rest of this session.")
        assert "/memory on" in harness.notices[-1]
        assert [one.purpose for one in house.model.requests[before:]] in (["main"], ["main"] * 2)
        for body in house.sent()[1:]:
            assert "tabs.md" not in str(body["system"])
            assert "<memory " not in request_text(body)
        assert house.names() == ["tabs.md"]

        # what was said before counts as little: no dream finds the session
        assert list(house.folder.glob("*.jsonl")) == []
        again = house.harness(resume="one")
        assert again.mode == "off"
        assert again.agent.messages == harness.agent.messages
        again.switch("full")
        talk(again, "Hello again.")
        assert [path.stem for path in house.folder.glob("*.jsonl")] == ["one"]
        assert "sesame" not in read_by_dream(house, again, *grep(house, "bread"))
        assert house.harness(resume="one").agent.messages == again.agent.messages

    @pytest.mark.behaviour("E4")
    def test_only_a_request_to_ignore_memory_is_one(self) -> None:
        wrong = [one for one in IGNORE if asks_to_ignore_memory(one["said"]) != one["triggers"]]
        assert wrong == []
        assert sum(not one["triggers"] for one in IGNORE) == 20

    @pytest.mark.parametrize(
        "phrase",
        [
            "ignore {0}",
            "Please ignore {0}!",
            "don't use {0} for now",
            "Could you ignore {0} for the rest of this session?",
            "treat {0} as empty",
            "turn {0} off",
            "From now on, ignore {0}.",
        ],
    )
    def test_a_message_that_is_nothing_but_the_request_is_one(self, phrase: str) -> None:
        for memory in ("memory", "your memory", "all memories", "everything in memory"):
            assert asks_to_ignore_memory(phrase.format(memory))
        for other in ("memory errors", "memory.py", "MEMORY.md", "memory and CPU limits"):
            assert not asks_to_ignore_memory(phrase.format(other))

    def test_such_a_session_is_none_to_dream_about(self, house: House) -> None:
        for number in range(5):
            talk(house.harness(f"off-{number}", mode="off"), "Hello.")
        harness = house.harness("one", toggles=Toggles(auto_dream=True))
        talk(harness, "Hello.")
        assert harness.dreams.report is not None
        assert harness.dreams.report.shut is not None
        assert harness.dreams.report.shut.name == "sessions"
        assert harness.dreams.report.shut.reason.startswith("0 ")
        assert harness.dreams.report.shut.cost["listings"] == 1

    def test_extraction_under_way_stops_before_its_next_write(self, house: House) -> None:
        calls = [
            {"type": "tool_use", "id": f"t{n}", **write(f"note-{n}.md", NOTE.format(n, SECRET))}
            for n in range(3)
        ]
        house.model.roles["extract"] = lambda request: Reply(calls)
        harness = house.harness("one")

        async def work() -> None:
            await harness.say(SECRET)
            while not house.names():
                await asyncio.sleep(0)
            harness.switch("off")
            await harness.drain()

        run(work)
        assert house.names() == ["note-0.md"]
        assert harness.notices == ["Saved to memory: note-0.md"]
        harness.switch("full")
        house.model.roles.clear()
        talk(harness, "Hello.")
        assert house.names() == ["note-0.md"]  # what was stopped is not taken up again

    def test_so_does_a_write_that_the_cancellation_would_not_reach(self, house: House) -> None:
        harness = house.harness("one")

        async def work() -> None:
            await harness.say(SECRET)
            harness.mode = "off"  # as another thread would leave it in the middle of a step
            await harness.drain()

        run(work)
        assert house.names() == []

    @pytest.mark.parametrize("moment", ["reading", "deciding"])
    def test_so_does_a_dream(self, house: House, moment: str) -> None:
        harness = house.harness("zero")
        harness.store.write_text("tabs.md", TABS, who="user")

        async def decide(receipt: Any) -> Any:
            if moment == "deciding":
                harness.switch("off")
            return {one.file for one in receipt.accepted}

        def reads(request: ModelRequest) -> Any:
            if moment == "reading":
                harness.switch("off")
            return [write("tabs.md", TABS.replace("Tabs, not spaces.", "Tabs, not spaces, ever."))]

        harness = house.harness("one", decide=decide)
        with dreamer(house.model, [use("Read", file_path=f"{MEMORY}/tabs.md")], reads, "Done."):
            task = run(harness.dream_now)
        assert task.notice == "The dream was stopped. The memory is as it was."
        assert (house.memory / "tabs.md").read_text("utf-8") == TABS


class TestCutOff:
    @pytest.mark.behaviour("G3", "I9")
    def test_what_a_drained_extraction_has_saved_is_named(self, house: House) -> None:
        facts = ["I prefer sesame bread.", "I row on Sundays.", "I live in Oslo."]

        def answer(request: ModelRequest) -> Reply:
            number = request.answers_since
            given = write(f"note-{number}.md", NOTE.format(number, facts[number]))
            return Reply([{"type": "tool_use", "id": f"t{number}", **given}])

        house.model.roles["extract"] = answer
        house.model.latency = {"extract": Latency(4.0, 0.0)}
        harness = house.harness("one")

        async def work() -> tuple[str, ...]:
            await harness.say(" ".join(facts))
            return await harness.drain()

        assert run(work) == ("after_turn",)
        assert house.names() == ["note-0.md", "note-1.md"]
        assert harness.notices == ["Saved to memory: note-0.md, note-1.md"]
        failed = house.events.of(ExtractionFailed)[-1]
        assert failed.files == "note-0.md, note-1.md"
