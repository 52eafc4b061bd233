from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest

from memlab.dream import DreamTask, Receipt
from memlab.events import DreamCompleted, DreamFailed, DreamStarted
from memlab.memdir.index import INDEX
from memlab.memdir.store import MemoryStore
from memlab.models.model import STORY_LATENCY
from memlab.text import request_text
from tests.faults.disks import tree
from tests.unit.agent.desk import run, use
from tests.unit.dream.bed import PURSE, Bed, dreamer, live, made_bed, text, tombstone


@pytest.fixture
def bed() -> Iterator[Bed]:
    with made_bed() as bed:
        yield bed


def of(task: DreamTask, file: str) -> Any:
    return next(one for one in task.receipt.changes if one.file == file)


def nothing_left(bed: Bed) -> bool:
    return not list(bed.home.parent.glob("memlab-dream-*"))


def test_a_merge_is_carried_out_and_told(bed: Bed) -> None:
    task = bed.sleep(*bed.merge())
    now = live(bed.memory)
    assert "tabs-again.md" not in now
    assert "commas at the start" in now["tabs.md"]
    assert "tabs-again.md" not in now[INDEX]
    assert "(tabs.md)" in now[INDEX]
    assert (task.phase, task.notice) == ("done", "The dream merged 1 memory, changed 1.")
    assert of(task, "tabs-again.md").line == "tabs-again.md merged into tabs.md"
    assert of(task, "tabs.md").kind == "changed"
    assert "+Robin indents Python with tabs, four columns wide. Robin" in of(task, "tabs.md").diff
    assert nothing_left(bed)


def test_undo_brings_the_state_before_back(bed: Bed) -> None:
    before = tree(bed.memory)
    task = bed.sleep(*bed.merge())
    assert tree(bed.memory) != before
    store = MemoryStore(bed.memory, clock=bed.clock)
    entry = store.history()[-1]
    assert (entry.id, entry.who) == (task.receipt.change, "dream")
    assert "tabs-again.md merged into tabs.md" in entry.reason
    store.undo(task.receipt.change)
    now = tree(bed.memory)
    lock = now.pop(".consolidate-lock")
    assert lock[0].endswith(b"done\n")
    assert now == before


def test_a_dream_that_changes_nothing_counts_as_a_consolidation(bed: Bed) -> None:
    before, journal = tree(bed.memory), len(MemoryStore(bed.memory).history())
    task = bed.sleep("All is in order.")
    assert task.notice == "The dream changed nothing. The memory is as it was."
    assert task.last_text == "All is in order."
    assert bed.lock().last_consolidated_at() == task.started
    now = tree(bed.memory)
    del now[".consolidate-lock"]
    assert now == before
    assert len(MemoryStore(bed.memory).history()) == journal


def test_the_model_is_shown_the_real_directory_and_only_that(bed: Bed) -> None:
    old = bed.sessions / "old.jsonl"
    old.write_text('{"type": "user"}\n')
    task = bed.sleep(
        [
            use("Glob", pattern="*.md", path=bed.shown),
            use("Grep", pattern="tabs", path=bed.shown, output_mode="content"),
            use("Bash", command="ls ../.memlab/projects/-home-robin-tidebook/memory"),
            use("Bash", command=f"grep -c tabs {bed.memory}/tabs.md {bed.memory}/freeze.md"),
            *bed.read("tabs.md"),
        ],
        *bed.merge(),
        sessions=[old, bed.sessions / "gone.jsonl"],
    )
    assert task.receipt.change
    sent = [one for one in bed.model.requests if one.purpose == "dream"]
    told = request_text(sent[-1].body)
    assert "memlab-dream-" not in told
    assert told.count(str(bed.home)) == 2, "in the command of the dreamer's own"
    assert f"`{bed.shown}`" in told
    assert f"- {bed.context.show(old)} (" in told
    assert "gone.jsonl" not in told
    assert f"{bed.shown}/tabs.md:7:Robin indents" in told
    assert f"{bed.shown}/freeze.md:0" in told
    assert "harbour.md" in told
    assert "(2026-03-30T09:02:00Z): whom to phone" in told


def test_the_events_tell_fired_and_completed(bed: Bed) -> None:
    bed.sleep(*bed.merge())
    fired, completed = bed.events.of(DreamStarted), bed.events.of(DreamCompleted)
    assert fired[0].figures == {"sessions_since": 0}
    assert completed[0].files == "tabs-again.md, tabs.md"
    assert completed[0].sessions_reviewed == 0
    assert completed[0].output > 0


@pytest.mark.parametrize("fault", ["overloaded", "refusal", "cut_stream"])
def test_a_failing_model_leaves_memory_and_lock_as_before(bed: Bed, fault: str) -> None:
    before = tree(bed.memory)

    def then(request: Any) -> Any:
        bed.model.faults.add(fault, purpose="dream", times=1)
        return bed.read("tabs.md")

    task = bed.sleep(*bed.merge()[:2], then)
    assert task.phase == "failed"
    assert task.notice.startswith("The dream failed: ")
    assert task.notice.endswith("The memory is as it was.")
    assert tree(bed.memory) == before
    assert bed.lock().last_consolidated_at() is None
    assert len(bed.events.of(DreamFailed)) == 1
    assert bed.events.of(DreamCompleted) == []
    assert nothing_left(bed)


def test_a_runaway_is_ended_by_the_turn_limit(bed: Bed) -> None:
    before = tree(bed.memory)
    bed.settings = bed.settings.with_changes(dream_max_turns=4)
    task = bed.sleep(*bed.merge()[:2], bed.read("tabs.md"))
    assert "limit of 4 turns" in task.notice
    assert tree(bed.memory) == before


def test_a_dream_that_takes_too_long_is_ended_on_the_clock(bed: Bed) -> None:
    before = tree(bed.memory)

    async def dawdle(receipt: Receipt) -> None:
        await bed.clock.sleep(51 * 60)

    task = bed.sleep(*bed.merge(), policy="ask", decide=dawdle)
    assert "longer than 50 minutes" in task.notice
    assert tree(bed.memory) == before


async def until_updating(bed: Bed, task: DreamTask) -> asyncio.Task[DreamTask]:
    """Start a dream and let it go on until it has written."""
    bed.model.latency = dict(STORY_LATENCY)
    running = asyncio.create_task(bed.dream().run(bed.prefix(), task=task))
    while task.phase != "updating":
        await asyncio.sleep(0)
    return running


def test_stopping_leaves_memory_and_lock_as_before(bed: Bed) -> None:
    before, task = tree(bed.memory), DreamTask()
    assert task.stop() is False

    async def stopped_in_the_middle() -> DreamTask:
        running = await until_updating(bed, task)
        assert task.pill == "dreaming"
        assert task.files_touched == ("tabs.md",)
        assert task.stop() is True
        await running
        assert running.cancelling() == 0, "whoever awaits a stopped dream goes on"
        return task

    with dreamer(*bed.merge()):
        assert run(stopped_in_the_middle) is task
    assert (task.phase, task.pill) == ("stopped", "")
    assert task.notice == "The dream was stopped. The memory is as it was."
    assert tree(bed.memory) == before
    assert nothing_left(bed)
    again = bed.sleep(*bed.merge())
    assert again.phase == "done"


def test_cancelled_from_outside_it_gives_the_lock_back(bed: Bed) -> None:
    before, task = tree(bed.memory), DreamTask()

    async def shut_down() -> None:
        running = await until_updating(bed, task)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running

    with dreamer(*bed.merge()):
        run(shut_down)
    assert task.phase == "stopped"
    assert tree(bed.memory) == before


@pytest.mark.parametrize("by_person", [True, False])
def test_a_stop_at_the_moment_of_the_commit_does_not_lie(bed: Bed, by_person: bool) -> None:
    task = DreamTask()

    class Late(MemoryStore):
        def replace_many(self, *given: Any, **more: Any) -> Any:
            done = super().replace_many(*given, **more)
            assert task.stop() if by_person else running[0].cancel()
            return done

    running: list[asyncio.Task[DreamTask]] = []
    bed.context.store = Late(bed.memory, clock=bed.clock)

    async def late() -> None:
        running.append(asyncio.create_task(bed.dream().run(bed.prefix(), task=task)))
        if by_person:
            await running[0]
            return
        with pytest.raises(asyncio.CancelledError):
            await running[0]

    with dreamer(*bed.merge()):
        run(late)
    assert "tabs-again.md" not in live(bed.memory)
    assert (task.phase, task.notice) == ("done", "The dream merged 1 memory, changed 1.")
    assert bed.lock().last_consolidated_at() == task.started


def test_a_stop_that_comes_too_late_changes_nothing(bed: Bed) -> None:
    task = bed.sleep(*bed.merge())
    assert task.stop() is False
    assert task.phase == "done"


def test_asked_the_person_may_reject_one_change(bed: Bed) -> None:
    new = text("Ferry", "reference", "when it sails", "The ferry sails at 07:40 from the old quay.")
    steps = bed.merge()
    steps[1] = [*steps[1], bed.write("ferry.md", new)]  # type: ignore[misc]
    seen: list[Receipt] = []

    def decide(receipt: Receipt) -> set[str]:
        seen.append(receipt)
        return {"ferry.md"}

    task = bed.sleep(*steps, policy="ask", decide=decide)
    assert {one.file for one in seen[0].accepted} >= {"tabs.md", "tabs-again.md", "ferry.md"}
    now = live(bed.memory)
    assert now["tabs-again.md"].endswith("start of a line.\n")
    assert "07:40" in now["ferry.md"]
    assert "(tabs-again.md)" in now[INDEX]
    assert of(task, "tabs.md").refused == "you rejected it"
    assert task.notice.startswith("The dream added 1 memory. ")


def test_a_removal_rests_on_the_change_it_was_merged_into(bed: Bed) -> None:
    task = bed.sleep(*bed.merge(), policy="ask", decide=lambda receipt: {"tabs-again.md"})
    assert "no reason was given" in of(task, "tabs-again.md").refused
    assert live(bed.memory).keys() == {*PURSE, INDEX}
    assert task.receipt.change == ""


def test_no_answer_is_a_no(bed: Bed) -> None:
    before = tree(bed.memory)
    for decide in (None, lambda receipt: None):
        task = bed.sleep(*bed.merge(), policy="ask", decide=decide)
        assert task.phase == "failed"
        assert tree(bed.memory) == before


def test_a_dry_run_shows_and_does_nothing(bed: Bed) -> None:
    before = tree(bed.memory)
    task = bed.sleep(*bed.merge(), policy="dry_run")
    assert task.notice == "The dream would change 3 files. The memory is as it was."
    assert of(task, "tabs-again.md").refused == ""
    assert tree(bed.memory) == before
    assert bed.lock().last_consolidated_at() is None


def test_above_the_limit_nothing_happens_before_a_person_has_agreed(bed: Bed) -> None:
    purse = {
        f"n{n}.md": (f"N{n}", "reference", f"place {n}", f"Number {n * 1111} is at pier {n * 77}.")
        for n in range(10, 20)
    }
    bed.fill(purse)
    gone = [bed.write(file, tombstone(dropped="stale because time has gone by")) for file in purse]
    steps: list[Any] = [bed.read(*purse), gone, "Tidied."]
    task = bed.sleep(*steps)
    assert {*purse} <= live(bed.memory).keys()
    assert task.receipt.waits[0].startswith("10 of 15 memories would be removed")
    assert bed.waiting().reject()
    bed.clock.advance(60)
    task = bed.sleep(*steps, policy="ask", decide=lambda receipt: {*purse})
    assert not {*purse} & live(bed.memory).keys()
    assert of(task, "n10.md").line == "n10.md stale: stale because time has gone by"


def test_a_memory_that_changed_meanwhile_keeps_the_live_version(bed: Bed) -> None:
    mine = text(
        "Tabs", "user", "indents with tabs", "Robin now indents by spaces, since 2026-03-30."
    )

    def meanwhile(request: Any) -> str:
        MemoryStore(bed.memory, clock=bed.clock).write_text("tabs.md", mine)
        return "Done."

    steps = bed.merge()[:2]
    task = bed.sleep(*steps, meanwhile)
    now = live(bed.memory)
    assert now["tabs.md"] == mine
    assert "commas at the start" in now["tabs-again.md"], "what it rested on did not happen"
    assert "the live version stays" in of(task, "tabs.md").refused
    assert task.phase == "done"


@pytest.mark.parametrize("between", ["\n", " "], ids=["own line", "same line"])
def test_what_was_forgotten_meanwhile_does_not_come_back(bed: Bed, between: str) -> None:
    secret = "The gate code is kept with Maren, who has number 4471 for it."
    assert bed.context.store
    bed.context.store.write_text("gate.md", text("Gate", "reference", "about the gate", secret))

    def forgotten(request: Any) -> str:
        store = MemoryStore(bed.memory, clock=bed.clock)
        store.forget_for_good("gate.md", confirmed=True)
        return "Done."

    both = text(
        "Harbour office", "reference", "moorings", f"{PURSE['harbour.md'][3]}{between}{secret}"
    )
    task = bed.sleep(
        bed.read("gate.md", "harbour.md"),
        [
            bed.write("harbour.md", both),
            bed.write("gate.md", tombstone(superseded_by="harbour.md")),
        ],
        forgotten,
    )
    assert "4471" not in "".join(live(bed.memory).values())
    assert "it repeats what somebody else has changed" in of(task, "harbour.md").refused
    left = [path for path in bed.home.rglob("*") if path.is_file() and b"4471" in path.read_bytes()]
    assert left == []


def test_a_lock_that_somebody_holds_is_told(bed: Bed) -> None:
    other = bed.lock(pid=4242, alive=lambda pid: True)
    other.try_acquire()
    task = bed.sleep(*bed.merge(), lock=bed.lock(pid=1, alive=lambda pid: True))
    assert task.phase == "failed"
    assert "process 4242 is consolidating this memory" in task.notice
    assert bed.events.of(DreamStarted) == []
    assert other.still_mine()


def test_a_lock_lost_on_the_way_commits_nothing(bed: Bed) -> None:
    before = tree(bed.memory)

    def robbed(request: Any) -> str:
        thief = bed.lock(pid=77, alive=lambda pid: False)
        thief.try_acquire()
        return "Done."

    task = bed.sleep(*bed.merge()[:2], robbed)
    assert "another process has taken its lock over" in task.notice
    now = tree(bed.memory)
    assert now.pop(".consolidate-lock")[0].startswith(b"77\n"), "the new holder's stays"
    assert now == before


def test_a_refused_write_is_told_to_the_model(bed: Bed) -> None:
    bad = text("When", "user", "a date", "Robin is away since yesterday and prefers mail then.")
    bed.sleep([bed.write("when.md", bad)], "Done.")
    told = request_text(bed.model.requests[-1].body)
    assert "true only for a while" in told
    assert "when.md" not in live(bed.memory)


def test_the_store_has_the_last_word(bed: Bed) -> None:
    class Stern(MemoryStore):
        def _judge(self, new: Any) -> Any:
            from memlab.errors import MemoryRefusedError

            if "tabs.md" in new:
                raise MemoryRefusedError("not today", rule="stern", where="tabs.md")
            return super()._judge(new)

    bed.context.store = Stern(bed.memory, clock=bed.clock)
    task = bed.sleep(*bed.merge())
    assert of(task, "tabs.md").refused == "not today"
    assert live(bed.memory).keys() == {*PURSE, INDEX}


def test_the_time_limit_ends_before_the_lease(bed: Bed) -> None:
    limit = timedelta(minutes=bed.settings.dream_max_minutes)
    assert limit < timedelta(hours=bed.settings.lock_lease_hours)


def test_the_index_alone_may_be_put_in_order(bed: Bed) -> None:
    index = live(bed.memory)[INDEX]
    backwards = "".join(reversed(index.splitlines(keepends=True)))
    task = bed.sleep(bed.read(INDEX), [bed.write(INDEX, backwards)], "Sorted.")
    assert task.notice == "The dream put the index in order."
    assert live(bed.memory)[INDEX] == backwards


def test_an_unexpected_failure_is_told_and_harms_nothing(bed: Bed) -> None:
    def broken(*given: Any, **more: Any) -> Receipt:
        raise ValueError("a rule nobody thought through")

    before = tree(bed.memory)
    task = bed.sleep(*bed.merge(), review=broken)
    assert "a rule nobody thought through" in task.notice
    assert tree(bed.memory) == before
    assert bed.lock().peek() is None
