"""A dream is done as a whole, in part on demand, or not at all; and the person is told which."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memlab.dream import DreamTask, Receipt
from memlab.dream.plan import said_in
from memlab.dream.receipt import diffs
from memlab.events import DreamCompleted, DreamFailed, DreamStarted
from memlab.evidence.attribution import nowhere
from memlab.memdir.erase import erase
from memlab.memdir.memory import Memory
from memlab.memdir.places import INDEX
from memlab.memdir.rules import Finding
from memlab.memdir.store import MemoryStore
from memlab.text import request_text
from tests.house import SHOWN, House, note, reads, run, use, writes
from tests.unit.dream import night as n

DONE = "The dream merged 1 memory, changed 1."
AS_BEFORE = "The memory is as it was."
READ, WROTE, SAID = n.merge()


@pytest.fixture
def night(house: House) -> House:
    house.fill(**n.PURSE)
    return house


def of(task: DreamTask, file: str) -> Any:
    return next(one for one in task.receipt.changes if one.file == file)


@pytest.mark.behaviour("K3", "K4")
def test_a_merge_is_carried_out_and_told(night: House) -> None:
    before = n.tree(night.memory)
    task = n.sleep(night, *n.merge())
    index = (night.memory / INDEX).read_text()
    assert night.files().keys() == {"tabs.md", "freeze.md"}
    assert f"{n.TABS} {n.SQL}" in night.files()["tabs.md"]
    assert ("(sql.md)" in index, "(tabs.md)" in index) == (False, True)
    assert (task.phase, task.notice) == ("done", DONE)
    assert of(task, "sql.md").line == "sql.md merged into tabs.md"
    assert f"+{n.TABS} {n.SQL}" in task.receipt.diffs["tabs.md"]
    assert n.lock(night).last_consolidated_at() == task.started
    (fired,) = night.events.of(DreamStarted)
    (completed,) = night.events.of(DreamCompleted)
    assert fired.figures == {"sessions_since": 0}
    assert (completed.files, completed.sessions_reviewed) == ("sql.md, tabs.md", 0)
    assert completed.output > 0
    entry = night.store.history()[-1]
    assert (entry.id, entry.who) == (task.receipt.change, "dream")
    assert "sql.md merged into tabs.md" in entry.reason
    night.store.undo(task.receipt.change)
    assert n.tree(night.memory) == before
    # and a tombstone that comes before its merge is no loss
    task = n.sleep(night, READ, [WROTE[1]], [WROTE[0]], SAID)
    assert (task.notice, n.SQL in night.files()["tabs.md"]) == (DONE, True)


def test_a_dream_that_changes_nothing_counts_as_a_consolidation(night: House) -> None:
    before, journal = n.tree(night.memory), len(night.store.history())
    outside = [writes("../out.md", "x"), use("Bash", command="rm")]
    task = n.sleep(night, outside, "All is in order.")
    assert task.notice.startswith(f"The dream changed nothing. {AS_BEFORE} 2 calls")
    assert task.last_text == "All is in order."
    assert n.lock(night).last_consolidated_at() == task.started
    assert (n.tree(night.memory), len(night.store.history())) == (before, journal)


def test_the_model_is_shown_the_real_directory_and_only_that(night: House) -> None:
    old = night.folder / "old.jsonl"
    old.write_text('{"type": "user"}\n')
    look = [
        use("Glob", pattern="*.md", path=SHOWN),
        use("Grep", pattern="tabs", path=SHOWN, output_mode="content"),
        use("Bash", command=f"grep -c tabs {SHOWN}/freeze.md"),
    ]
    task = n.sleep(night, look, *n.merge(), sessions=[old, night.folder / "gone.jsonl"])
    assert task.receipt.change
    told = request_text(night.sent("dream")[-1])
    for there in (f"y>\n{SHOWN}\n", "/old.jsonl (", f"{SHOWN}/tabs.md:7:Robin"):
        assert there in told
    for absent in ("memlab-dream-", str(night.home), "gone.jsonl"):
        assert absent not in told


def failing(fault: str) -> Callable[[House], dict[str, Any]]:
    return lambda house: house.model.faults.add(fault, purpose="dream", times=1) or {}


def four_turns(house: House) -> dict[str, Any]:
    assert house.settings.dream_max_turns == house.settings.dream_max_minutes == 50
    house.settings = house.settings.with_changes(dream_max_turns=2)
    return {}


def late(house: House) -> dict[str, Any]:
    async def dawdle(receipt: Receipt) -> None:
        await house.clock.sleep(50 * 60 + 1)

    return {"policy": "ask", "decide": dawdle}


@pytest.mark.behaviour("K0", "K4")
@pytest.mark.parametrize(
    ("how", "why"),
    [
        (failing("overloaded"), "failed"),
        (failing("refusal"), "declined"),
        (failing("cut_stream"), "failed"),
        (four_turns, "limit of 2 turns"),
        (late, "longer than 50 minutes"),
        (lambda house: {"policy": "ask", "decide": lambda _: None}, "nobody decided"),
        (lambda house: {"policy": "ask"}, "nobody to ask"),
        (lambda house: {"allowed": lambda: False}, "stopped"),
    ],
)
def test_a_failing_dream_leaves_memory_and_lock_as_before(
    night: House, how: Callable[[House], dict[str, Any]], why: str
) -> None:
    before = n.tree(night.memory, hidden=True)
    task = n.sleep(night, *n.merge(), **how(night))
    assert task.phase == ("stopped" if why == "stopped" else "failed")
    assert why in task.notice
    assert task.notice.endswith(AS_BEFORE)
    after = n.tree(night.memory, hidden=True)
    assert after.pop(".memlab/consolidate.guard")
    assert after == before
    assert n.lock(night).last_consolidated_at() is None
    assert len(night.events.of(DreamFailed)) == 1
    assert not night.events.of(DreamCompleted)
    assert not list(night.home.parent.glob("memlab-dream-*"))


@pytest.mark.behaviour("K2")
@pytest.mark.parametrize("stopped", [False, True])
def test_a_task_tells_live_what_it_does_and_stops(night: House, stopped: bool) -> None:
    before, task, seen = n.tree(night.memory), DreamTask(), list[tuple[str, int, int]]()
    assert not task.stop()
    night.answers("dream", *n.merge())

    async def watched() -> None:
        running = asyncio.create_task(n.make(night).run(n.prefix(night), task=task))
        while not running.done():
            if task.job and not task.stopping:
                assert task.pill == "dreaming"
                calls = task.tool_counts.total()
                seen.append((task.phase, calls, len(task.files_touched)))
            if stopped and task.phase == "updating" and not task.stopping:
                assert task.stop()
            await asyncio.sleep(0)
        assert running.cancelling() == 0, "whoever awaits a stopped dream goes on"

    run(watched())
    assert list(dict.fromkeys(row[0] for row in seen)) == ["starting", "updating"]
    assert seen == sorted(seen, key=lambda row: row[1:])
    assert task.pill == ""
    if stopped:
        assert task.notice == f"The dream was stopped. {AS_BEFORE}"
        assert n.tree(night.memory) == before
        assert n.lock(night).last_consolidated_at() is None
    else:
        assert task.tool_counts == {"Read": 3, "Write": 2}
        assert task.files_touched == ("tabs.md", "sql.md")


@pytest.mark.parametrize("by_person", [True, False])
def test_a_stop_at_the_commit_does_not_lie(night: House, by_person: bool) -> None:
    task, running = DreamTask(), list[asyncio.Task[DreamTask]]()

    class Late(MemoryStore):
        def commit(self, *given: Any, **more: Any) -> Any:
            done = super().commit(*given, **more)
            assert task.stop() if by_person else running[0].cancel()
            return done

    night.answers("dream", *n.merge())
    context = night.context()
    context.store = Late(night.memory, clock=night.clock)

    async def dream() -> None:
        dream = n.make(night, context=context).run(n.prefix(night), task=task)
        running.append(asyncio.create_task(dream))
        [end] = await asyncio.gather(*running, return_exceptions=True)
        assert end is task if by_person else isinstance(end, asyncio.CancelledError)

    run(dream())
    assert "sql.md" not in night.files()
    assert (task.phase, task.notice) == ("done", DONE)
    assert n.lock(night).last_consolidated_at() == task.started


@pytest.mark.behaviour("K3")
def test_asked_the_person_may_reject_one_change(night: House) -> None:
    ferry = writes("ferry.md", note("The ferry sails at 07:40.", "Ferry", "reference"))
    seen = list[Receipt]()

    def decide(receipt: Receipt) -> set[str]:
        seen.append(receipt)
        return {"ferry.md"}

    dry = n.tree(night.memory, hidden=True)
    task = n.sleep(night, READ, [*WROTE, ferry], SAID, policy="dry_run")
    assert task.notice == f"The dream would change 4 files. {AS_BEFORE}"
    assert n.tree(night.memory, hidden=True) == dry, "not even the guard is there"
    task = n.sleep(night, READ, [*WROTE, ferry], SAID, policy="ask", decide=decide)
    assert {one.file for one in seen[0].accepted} >= {"tabs.md", "sql.md", "ferry.md"}
    assert night.files().keys() == {"tabs.md", "sql.md", "freeze.md", "ferry.md"}
    assert n.SQL not in night.files()["tabs.md"]
    assert "rejected" in of(task, "tabs.md").refused
    assert task.notice.startswith("The dream added 1 memory. ")


MINE = note("Robin now indents by spaces, since 2026-03-30.", "tabs")
SECRET = "The gate code is kept with Maren, who has number 4471 for it."
TOLD = [
    writes("tabs.md", note(f"{n.TABS} {SECRET}", "tabs")),
    writes("gate.md", n.gone(superseded_by="tabs.md")),
]


@pytest.mark.behaviour("K3")
@pytest.mark.parametrize("calls", [WROTE, TOLD])
@pytest.mark.parametrize("written", [True, False])
def test_what_happened_meanwhile_is_not_undone(
    night: House, written: bool, calls: list[Any]
) -> None:
    night.fill(gate=SECRET)

    def then(request: Any) -> str:
        if written:
            night.store.write_text("tabs.md", MINE)
        else:
            erase(night.store, "gate.md", places=tuple, by={})
        return "Done."

    task = n.sleep(night, [*READ, reads("gate.md")], calls, then)
    why = "live version" if written else "erased for good"
    assert why in task.notice + str(task.receipt)
    assert (MINE if written else n.TABS) in night.files()["tabs.md"]
    assert "sql.md" in night.files(), "what rests on it does not happen either"
    everything = [path for path in night.home.rglob("*") if path.is_file()]
    assert written == any(b"4471" in path.read_bytes() for path in everything)


def test_a_lock_lost_on_the_way_commits_nothing(night: House) -> None:
    def robbed(request: Any) -> str:
        n.lock(night, pid=77, alive=lambda pid: False).try_acquire()
        return "Done."

    before = n.tree(night.memory)
    task = n.sleep(night, READ, WROTE, robbed)
    assert "another process has taken its lock over" in task.notice
    assert n.tree(night.memory) == before
    assert (night.memory / ".consolidate-lock").read_bytes().startswith(b"77\n")


@pytest.mark.behaviour("A12")
@pytest.mark.parametrize("pinned", [True, False])
def test_what_is_pinned_or_refused_stays(night: House, pinned: bool) -> None:
    class Stern(MemoryStore):
        def check(self, memory: Memory, *more: Any) -> Any:
            mine = [Finding("stern", "refuse", "not today")]
            return mine if memory.name == "tabs" else super().check(memory, *more)

    context = night.context()
    if pinned:
        night.fill(tabs=note(n.TABS, "tabs", pinned="true"))
    else:
        context.store = Stern(night.memory, clock=night.clock)
    before = night.files()
    task = n.sleep(night, *n.merge(), context=context)
    assert (night.files(), task.phase) == (before, "done")
    assert pinned or "not today" in str(task.receipt)


@pytest.mark.behaviour("K1")
def test_sessions_that_do_not_fit_stay_due_and_the_notice_says_so(
    night: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memlab.dream.dream.MOST_SESSIONS", 2)
    paths = [night.folder / f"{number}.jsonl" for number in range(5)]
    for number, path in enumerate(paths):
        path.write_text("{}\n")
        os.utime(path, ns=((1_774_000_000 + number) * 10**9,) * 2)

    def dream(given: list[Path], shown: list[Path], rest: list[Path]) -> None:
        night.clock.advance(60)
        task = n.sleep(night, "Nothing to do.", sessions=given)
        assert task.sessions == tuple(shown)
        said = f"looked at 2 sessions; the other {len(rest)} are due next time"
        assert (said in task.notice) == bool(rest)
        reader = n.lock(night)
        reader.last_consolidated_at()
        times = [path.stat().st_mtime_ns for path in rest]
        assert reader.due() == ((min(times), max(times)) if rest else None)

    dream(paths, paths[3:], paths[:3])  # the newest
    # what was due comes first
    dream([*paths[:3], paths[4]], paths[:2], [paths[2], paths[4]])
    dream([paths[2], paths[4]], [paths[2], paths[4]], [])


def test_code_puts_the_index_in_order_whatever_the_model_did(night: House) -> None:
    """Dead pointers go, missing ones come, and a line of a person's own stays."""
    index, own = night.memory / INDEX, "Keep the boats together.\n"
    lines = [one for one in index.open() if "freeze.md" not in one]
    index.write_text("".join(["- [Old](old.md) — gone\n", own, *lines]))
    before = index.read_text()
    rejected = n.sleep(night, *n.merge(), policy="ask", decide=lambda receipt: ())
    assert (rejected.receipt.change, index.read_text()) == ("", before)
    secret = f"{before}- [Key](tabs.md) — password: hunter2-Tr0ub4dor\n"
    task = n.sleep(night, [reads(INDEX)], [writes(INDEX, secret)], "Done.")
    assert task.notice.startswith("The dream put the index in order.")
    now = index.read_text()
    for text, there in (("(old.md)", 0), ("(freeze.md)", 1), (own, 1), ("hunter2", 0)):
        assert now.count(text) == there
    night.store.undo(task.receipt.change)
    assert index.read_text() == before
    assert not n.waiting(night).there


def test_a_dream_hears_nothing_that_was_said_off_the_record(house: House) -> None:
    transcript = house.transcript()
    for text, off in (("We use Postgres here.", False), ("I see a doctor.", True)):
        transcript.append("user", text, off_record=off)
        transcript.append("assistant", "OK.", off_record=off)
    heard = " ".join(one.sentence.text for one in said_in([transcript.path], nowhere))
    assert ("Postgres" in heard, "doctor" in heard) == (True, False)


def test_no_character_hides_text_in_the_diff_that_a_person_reviews() -> None:
    shown = diffs({"a.md": b"Pay Kim."}, {"a.md": "Pay \u202emiK\u202c later.".encode()})["a.md"]
    assert ("\u202e" in shown, "later" in shown) == (False, True)
