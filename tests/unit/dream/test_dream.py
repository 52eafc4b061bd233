from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from memlab.dream import DreamTask, Receipt
from memlab.events import DreamCompleted, DreamFailed, DreamStarted
from memlab.memdir.erase import erase
from memlab.memdir.memory import Memory
from memlab.memdir.places import INDEX
from memlab.memdir.rules import Finding
from memlab.memdir.store import MemoryStore
from memlab.models.offline import STORY_LATENCY
from memlab.text import request_text
from tests.faults.disks import tree
from tests.unit.agent.helpers import run, use
from tests.unit.dream.helpers import PURSE, DreamSetup, dream_setup, dreamer, live, text, tombstone


@pytest.fixture
def setup() -> Iterator[DreamSetup]:
    with dream_setup() as setup:
        yield setup


def of(task: DreamTask, file: str) -> Any:
    return next(one for one in task.receipt.changes if one.file == file)


def nothing_left(setup: DreamSetup) -> bool:
    return not list(setup.home.parent.glob("memlab-dream-*"))


def test_a_merge_is_carried_out_and_told(setup: DreamSetup) -> None:
    task = setup.sleep(*setup.merge())
    now = live(setup.memory)
    assert "tabs-again.md" not in now
    assert "commas at the start" in now["tabs.md"]
    assert "tabs-again.md" not in now[INDEX]
    assert "(tabs.md)" in now[INDEX]
    assert (task.phase, task.notice) == ("done", "The dream merged 1 memory, changed 1.")
    assert of(task, "tabs-again.md").line == "tabs-again.md merged into tabs.md"
    assert of(task, "tabs.md").kind == "changed"
    assert (
        "+Robin indents Python with tabs, four columns wide. Robin" in task.receipt.diffs["tabs.md"]
    )
    assert nothing_left(setup)


@pytest.mark.behaviour("K3")
def test_undo_brings_the_state_before_back(setup: DreamSetup) -> None:
    before = tree(setup.memory)
    task = setup.sleep(*setup.merge())
    assert tree(setup.memory) != before
    store = MemoryStore(setup.memory, clock=setup.clock)
    entry = store.history()[-1]
    assert (entry.id, entry.who) == (task.receipt.change, "dream")
    assert "tabs-again.md merged into tabs.md" in entry.reason
    store.undo(task.receipt.change)
    now = tree(setup.memory)
    lock = now.pop(".consolidate-lock")
    assert lock[0].endswith(b"done\n")
    assert now == before


def test_a_dream_that_changes_nothing_counts_as_a_consolidation(setup: DreamSetup) -> None:
    before, journal = tree(setup.memory), len(MemoryStore(setup.memory).history())
    task = setup.sleep("All is in order.")
    assert task.notice == "The dream changed nothing. The memory is as it was."
    assert task.last_text == "All is in order."
    assert setup.lock().last_consolidated_at() == task.started
    now = tree(setup.memory)
    del now[".consolidate-lock"]
    assert now == before
    assert len(MemoryStore(setup.memory).history()) == journal


def test_the_model_is_shown_the_real_directory_and_only_that(setup: DreamSetup) -> None:
    old = setup.sessions / "old.jsonl"
    old.write_text('{"type": "user"}\n')
    task = setup.sleep(
        [
            use("Glob", pattern="*.md", path=setup.shown),
            use("Grep", pattern="tabs", path=setup.shown, output_mode="content"),
            use("Bash", command="ls ../.memlab/projects/-home-robin-tidebook/memory"),
            use("Bash", command=f"grep -c tabs {setup.memory}/tabs.md {setup.memory}/freeze.md"),
            *setup.read("tabs.md"),
        ],
        *setup.merge(),
        sessions=[old, setup.sessions / "gone.jsonl"],
    )
    assert task.receipt.change
    sent = [one for one in setup.model.requests if one.purpose == "dream"]
    told = request_text(sent[-1].body)
    assert "memlab-dream-" not in told
    assert told.count(str(setup.home)) == 2, "in the command of the dreamer's own"
    assert f"<memory_directory>\n{setup.shown}\n</memory_directory>" in told
    assert f"- {setup.context.show(old)} (" in told
    assert "gone.jsonl" not in told
    assert f"{setup.shown}/tabs.md:7:Robin indents" in told
    assert f"{setup.shown}/freeze.md:0" in told
    assert "harbour.md" in told
    assert "(2026-03-30T09:02:00Z): whom to phone" in told


@pytest.mark.behaviour("K4")
def test_the_events_tell_fired_and_completed(setup: DreamSetup) -> None:
    setup.sleep(*setup.merge())
    fired, completed = setup.events.of(DreamStarted), setup.events.of(DreamCompleted)
    assert fired[0].figures == {"sessions_since": 0}
    assert completed[0].files == "tabs-again.md, tabs.md"
    assert completed[0].sessions_reviewed == 0
    assert completed[0].output > 0


@pytest.mark.behaviour("K4")
@pytest.mark.parametrize("fault", ["overloaded", "refusal", "cut_stream"])
def test_a_failing_model_leaves_memory_and_lock_as_before(setup: DreamSetup, fault: str) -> None:
    before = tree(setup.memory)

    def then(request: Any) -> Any:
        setup.model.faults.add(fault, purpose="dream", times=1)
        return setup.read("tabs.md")

    task = setup.sleep(*setup.merge()[:2], then)
    assert task.phase == "failed"
    assert task.notice.startswith("The dream failed: ")
    assert task.notice.endswith("The memory is as it was.")
    assert tree(setup.memory) == before
    assert setup.lock().last_consolidated_at() is None
    assert len(setup.events.of(DreamFailed)) == 1
    assert setup.events.of(DreamCompleted) == []
    assert nothing_left(setup)


@pytest.mark.behaviour("K0")
def test_a_runaway_is_ended_by_the_turn_limit(setup: DreamSetup) -> None:
    before = tree(setup.memory)
    assert setup.settings.dream_max_turns == 50
    setup.settings = setup.settings.with_changes(dream_max_turns=4)
    task = setup.sleep(*setup.merge()[:2], setup.read("tabs.md"))
    assert "limit of 4 turns" in task.notice
    assert tree(setup.memory) == before


def test_a_dream_that_takes_too_long_is_ended_on_the_clock(setup: DreamSetup) -> None:
    before = tree(setup.memory)

    async def dawdle(receipt: Receipt) -> None:
        await setup.clock.sleep(51 * 60)

    task = setup.sleep(*setup.merge(), policy="ask", decide=dawdle)
    assert "longer than 50 minutes" in task.notice
    assert tree(setup.memory) == before


async def until_updating(setup: DreamSetup, task: DreamTask) -> asyncio.Task[DreamTask]:
    """Start a dream and let it go on until it has written."""
    setup.model.latency = dict(STORY_LATENCY)
    running = asyncio.create_task(setup.dream().run(setup.prefix(), task=task))
    while task.phase != "updating":
        await asyncio.sleep(0)
    return running


@pytest.mark.behaviour("K2")
def test_stopping_leaves_memory_and_lock_as_before(setup: DreamSetup) -> None:
    before, task = tree(setup.memory), DreamTask()
    assert task.stop() is False

    async def stopped_in_the_middle() -> DreamTask:
        running = await until_updating(setup, task)
        assert task.pill == "dreaming"
        assert task.files_touched == ("tabs.md",)
        assert task.stop() is True
        await running
        assert running.cancelling() == 0, "whoever awaits a stopped dream goes on"
        return task

    with dreamer(setup.model, *setup.merge()):
        assert run(stopped_in_the_middle) is task
    assert (task.phase, task.pill) == ("stopped", "")
    assert task.notice == "The dream was stopped. The memory is as it was."
    assert tree(setup.memory) == before
    assert nothing_left(setup)
    again = setup.sleep(*setup.merge())
    assert again.phase == "done"


@pytest.mark.parametrize("by_person", [True, False])
def test_a_stop_at_the_moment_of_the_commit_does_not_lie(
    setup: DreamSetup, by_person: bool
) -> None:
    task = DreamTask()

    class Late(MemoryStore):
        def commit(self, *given: Any, **more: Any) -> Any:
            done = super().commit(*given, **more)
            assert task.stop() if by_person else running[0].cancel()
            return done

    running: list[asyncio.Task[DreamTask]] = []
    setup.context.store = Late(setup.memory, clock=setup.clock)

    async def late() -> None:
        running.append(asyncio.create_task(setup.dream().run(setup.prefix(), task=task)))
        if by_person:
            await running[0]
            return
        with pytest.raises(asyncio.CancelledError):
            await running[0]

    with dreamer(setup.model, *setup.merge()):
        run(late)
    assert "tabs-again.md" not in live(setup.memory)
    assert (task.phase, task.notice) == ("done", "The dream merged 1 memory, changed 1.")
    assert setup.lock().last_consolidated_at() == task.started


@pytest.mark.behaviour("K3")
def test_asked_the_person_may_reject_one_change(setup: DreamSetup) -> None:
    new = text("Ferry", "reference", "when it sails", "The ferry sails at 07:40 from the old quay.")
    steps = setup.merge()
    steps[1] = [*steps[1], setup.write("ferry.md", new)]  # type: ignore[misc]
    seen: list[Receipt] = []

    def decide(receipt: Receipt) -> set[str]:
        seen.append(receipt)
        return {"ferry.md"}

    task = setup.sleep(*steps, policy="ask", decide=decide)
    assert {one.file for one in seen[0].accepted} >= {"tabs.md", "tabs-again.md", "ferry.md"}
    now = live(setup.memory)
    assert now["tabs-again.md"].endswith("start of a line.\n")
    assert "07:40" in now["ferry.md"]
    assert "(tabs-again.md)" in now[INDEX]
    assert of(task, "tabs.md").refused == "you rejected it"
    assert task.notice.startswith("The dream added 1 memory. ")


def test_a_dry_run_shows_and_does_nothing(setup: DreamSetup) -> None:
    before = tree(setup.memory)
    there = sorted(setup.memory.rglob("*"))
    task = setup.sleep(*setup.merge(), policy="dry_run")
    assert sorted(setup.memory.rglob("*")) == there, "not even the lock's guard is made"
    assert task.notice == "The dream would change 3 files. The memory is as it was."
    assert of(task, "tabs-again.md").refused == ""
    assert tree(setup.memory) == before
    assert setup.lock().last_consolidated_at() is None


def test_above_the_limit_nothing_happens_before_a_person_has_agreed(setup: DreamSetup) -> None:
    purse = {
        f"n{n}.md": (f"N{n}", "reference", f"place {n}", f"Number {n * 1111} is at pier {n * 77}.")
        for n in range(10, 20)
    }
    setup.fill(purse)
    gone = [
        setup.write(file, tombstone(dropped="stale because time has gone by")) for file in purse
    ]
    steps: list[Any] = [setup.read(*purse), gone, "Tidied."]
    task = setup.sleep(*steps)
    assert {*purse} <= live(setup.memory).keys()
    assert task.receipt.waits.startswith("10 of 15 memories would be removed")
    assert setup.waiting().reject()
    setup.clock.advance(60)
    task = setup.sleep(*steps, policy="ask", decide=lambda receipt: {*purse})
    assert not {*purse} & live(setup.memory).keys()
    assert of(task, "n10.md").line == "n10.md stale: stale because time has gone by"


@pytest.mark.behaviour("K3")
def test_a_memory_that_changed_meanwhile_keeps_the_live_version(setup: DreamSetup) -> None:
    mine = text(
        "Tabs", "user", "indents with tabs", "Robin now indents by spaces, since 2026-03-30."
    )

    def meanwhile(request: Any) -> str:
        MemoryStore(setup.memory, clock=setup.clock).write_text("tabs.md", mine)
        return "Done."

    steps = setup.merge()[:2]
    task = setup.sleep(*steps, meanwhile)
    now = live(setup.memory)
    assert now["tabs.md"] == mine
    assert "commas at the start" in now["tabs-again.md"], "what it rested on did not happen"
    assert "the live version stays" in of(task, "tabs.md").refused
    assert task.phase == "done"


@pytest.mark.parametrize("between", ["\n", " "], ids=["own line", "same line"])
def test_what_was_forgotten_meanwhile_does_not_come_back(setup: DreamSetup, between: str) -> None:
    secret = "The gate code is kept with Maren, who has number 4471 for it."
    assert setup.context.store
    setup.context.store.write_text("gate.md", text("Gate", "reference", "about the gate", secret))

    def forgotten(request: Any) -> str:
        store = MemoryStore(setup.memory, clock=setup.clock)
        erase(store, "gate.md", places=tuple, by={})
        return "Done."

    both = text(
        "Harbour office", "reference", "moorings", f"{PURSE['harbour.md'][3]}{between}{secret}"
    )
    task = setup.sleep(
        setup.read("gate.md", "harbour.md"),
        [
            setup.write("harbour.md", both),
            setup.write("gate.md", tombstone(superseded_by="harbour.md")),
        ],
        forgotten,
    )
    assert "4471" not in "".join(live(setup.memory).values())
    assert "it repeats what somebody else has changed" in of(task, "harbour.md").refused
    left = [
        path for path in setup.home.rglob("*") if path.is_file() and b"4471" in path.read_bytes()
    ]
    assert left == []


def test_a_lock_lost_on_the_way_commits_nothing(setup: DreamSetup) -> None:
    before = tree(setup.memory)

    def robbed(request: Any) -> str:
        thief = setup.lock(pid=77, alive=lambda pid: False)
        thief.try_acquire()
        return "Done."

    task = setup.sleep(*setup.merge()[:2], robbed)
    assert "another process has taken its lock over" in task.notice
    now = tree(setup.memory)
    assert now.pop(".consolidate-lock")[0].startswith(b"77\n"), "the new holder's stays"
    assert now == before


def test_the_store_has_the_last_word(setup: DreamSetup) -> None:
    class Stern(MemoryStore):
        def check(self, memory: Memory, *more: Any) -> Sequence[Finding]:
            if memory.name == "Tabs":
                return [Finding("stern", "refuse", "not today")]
            return super().check(memory, *more)

    setup.context.store = Stern(setup.memory, clock=setup.clock)
    task = setup.sleep(*setup.merge())
    assert of(task, "tabs.md").refused == "not today"
    assert live(setup.memory).keys() == {*PURSE, INDEX}


@pytest.mark.behaviour("K1")
def test_sessions_that_do_not_fit_stay_due_and_the_notice_says_so(
    setup: DreamSetup, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memlab.dream.dream.MOST_SESSIONS", 2)
    paths = [setup.sessions / f"{number}.jsonl" for number in range(5)]
    for number, path in enumerate(paths):
        path.write_text("{}\n")
        os.utime(path, ns=((1_774_000_000 + number) * 10**9,) * 2)
    task = setup.sleep("Nothing to do.", sessions=paths)
    assert task.sessions == tuple(paths[3:]), "the newest"
    said = " It has looked at 2 sessions; the other 3 are due next time."
    assert task.notice.endswith(said)
    lock = setup.lock()
    lock.last_consolidated_at()
    due = lock.due()
    assert due == tuple(path.stat().st_mtime_ns for path in (paths[0], paths[2]))
    setup.clock.advance(60)
    again = setup.sleep("Nothing to do.", sessions=[*paths[:3], paths[4]])
    assert again.sessions == tuple(paths[:2]), "what was due comes first"
    lock.last_consolidated_at()
    assert lock.due() == tuple(path.stat().st_mtime_ns for path in (paths[2], paths[4]))
    third = setup.sleep("Nothing to do.", sessions=[paths[2], paths[4]])
    assert "due next time" not in third.notice
    lock.last_consolidated_at()
    assert lock.due() is None


def test_refused_calls_are_counted_and_the_lock_is_stamped(setup: DreamSetup) -> None:
    outside = [setup.write("../out.md", "x"), use("Bash", command="rm -rf ~")]
    task = setup.sleep(outside, "Done.")
    assert task.notice.startswith(
        "The dream changed nothing. The memory is as it was. 2 calls were refused: "
    )
    assert task.notice.endswith(f"{task.refused[0]}.")
    assert setup.lock().last_consolidated_at() == task.started


def test_a_tombstone_written_before_its_merge_is_no_loss(setup: DreamSetup) -> None:
    read, [merged, gone], said = setup.merge()
    task = setup.sleep(read, [gone], [merged], said)
    assert task.notice == "The dream merged 1 memory, changed 1."
    assert "tabs-again.md" not in live(setup.memory)
    assert "commas at the start" in live(setup.memory)["tabs.md"]


@pytest.mark.behaviour("A12")
def test_what_is_pinned_or_out_of_date(setup: DreamSetup) -> None:
    """A dream may not touch what is pinned, and may propose to drop what is past its day."""
    assert setup.context.store
    pinned = text(*PURSE["tabs.md"]).replace("type: user", "type: user\npinned: true")
    setup.context.store.write_text("tabs.md", pinned, who="user")
    task = setup.sleep(*setup.merge())
    now = live(setup.memory)
    assert now["tabs.md"] == pinned
    assert "commas at the start" in now["tabs-again.md"]
    assert task.phase == "done"


@pytest.mark.behaviour("K2")
def test_a_task_tells_live_what_its_dream_does(setup: DreamSetup) -> None:
    seen: list[tuple[str, int, int]] = []
    task = DreamTask()

    async def watched() -> None:
        running = asyncio.create_task(setup.dream().run(setup.prefix(), task=task))
        while not running.done():
            row = (task.phase, task.tool_counts.total(), len(task.files_touched))
            if seen[-1:] != [row]:
                seen.append(row)
            await asyncio.sleep(0)

    with dreamer(setup.model, *setup.merge()):
        run(watched)
    assert list(dict.fromkeys(row[0] for row in seen)) == ["starting", "updating"]
    assert task.phase == "done"
    assert seen == sorted(seen, key=lambda row: row[1:])
    assert task.tool_counts == {"Read": 3, "Write": 2}
    assert task.files_touched == ("tabs.md", "tabs-again.md")
    assert task.last_text == "Two memories of tabs are one now."
    assert task.started
    assert task.started <= setup.clock.now()


def test_code_puts_the_index_in_order_whatever_the_model_did(setup: DreamSetup) -> None:
    """Dead pointers go, missing ones come, and a line of a person's own stays."""
    index = setup.memory / INDEX
    own = "Keep the boats together.\n"
    lines = [line for line in index.read_text().splitlines(True) if "freeze.md" not in line]
    index.write_text("".join(["- [Old](old.md) — gone\n", own, *lines]))
    before = index.read_text()
    rejected = setup.sleep(*setup.merge(), policy="ask", decide=lambda receipt: ())
    assert (rejected.receipt.change, index.read_text()) == ("", before)
    secret = f"{before}- [Key](tabs.md) — password: hunter2-Tr0ub4dor\n"
    task = setup.sleep(setup.read(INDEX), [setup.write(INDEX, secret)], "Done.")
    assert task.notice.startswith("The dream put the index in order.")
    assert task.receipt.settled
    assert task.receipt.settled.dead == ("old.md",)
    now = index.read_text()
    assert "(old.md)" not in now
    assert "(freeze.md)" in now
    assert own in now
    MemoryStore(setup.memory, clock=setup.clock).undo(task.receipt.change)
    assert index.read_text() == before
