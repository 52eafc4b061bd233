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
from memlab.dream.stage import DreamError
from memlab.events import DreamCompleted, DreamFailed
from memlab.evidence.attribution import nowhere
from memlab.memdir.erase import erase
from memlab.memdir.places import INDEX
from memlab.text import request_text
from tests.house import SHOWN, House, note, reads, run, use, writes
from tests.unit.dream import night as n

Patch = pytest.MonkeyPatch
AS_BEFORE = "The memory is as it was."
READ, WROTE, SAID = n.merge()


@pytest.fixture
def night(house: House) -> House:
    house.fill(**n.PURSE)
    return house


def of(task: DreamTask, file: str) -> Any:
    return next(one for one in task.receipt.changes if one.file == file)


@pytest.mark.behaviour("K3", "K4")
def test_a_merge_is_carried_out_told_and_undone(night: House) -> None:
    before = n.tree(night.memory)
    task = n.sleep(night, *n.merge())
    index = (night.memory / INDEX).read_text()
    assert night.files().keys() == {"tabs.md", "freeze.md"}
    assert f"{n.TABS} {n.SQL}" in night.files()["tabs.md"]
    assert ("(sql.md)" in index, "(tabs.md)" in index) == (False, True)
    assert task.notice == "The dream merged 1 memory, changed 1."
    assert of(task, "sql.md").line == "sql.md merged into tabs.md"
    assert f"+{n.TABS} {n.SQL}" in task.receipt.diffs["tabs.md"]
    assert n.lock(night).last_consolidated_at() == task.started
    [completed] = night.events.of(DreamCompleted)
    assert (completed.files, completed.sessions_reviewed) == ("sql.md, tabs.md", 0)
    assert completed.cache_read > 0
    entry = night.store.history()[-1]
    assert (entry.id, entry.who) == (task.receipt.change, "dream")
    night.store.undo(task.receipt.change)
    assert n.tree(night.memory) == before
    # and a tombstone that comes before its merge is no loss
    n.sleep(night, READ, [WROTE[1]], [WROTE[0]], SAID)
    assert n.SQL in night.files()["tabs.md"]


def test_it_sees_the_real_directory_and_may_change_nothing(night: House) -> None:
    before, old = n.tree(night.memory), night.folder / "old.jsonl"
    old.write_text('{"type": "user"}\n')
    search = use("Grep", pattern="tabs", path=SHOWN, output_mode="content")
    look = [search, use("Bash", command=f"grep -c tabs {SHOWN}/freeze.md")]
    calls = [*look, writes("../out.md", "x"), use("Bash", command="rm")]
    task = n.sleep(night, calls, "All is in order.", sessions=[old])
    assert task.notice.startswith(f"The dream changed nothing. {AS_BEFORE} 2 calls")
    told = request_text(night.sent("dream")[-1])
    for there in (f"y>\n{SHOWN}\n", "/old.jsonl (", f"{SHOWN}/tabs.md:7:Robin"):
        assert there in told
    assert ("memlab-dream-" in told, str(night.home) in told) == (False, False)
    assert n.lock(night).last_consolidated_at() == task.started
    assert (n.tree(night.memory), len(night.store.history())) == (before, len(n.PURSE))


FAILS: dict[str, Callable[[House], Any]] = {
    "failed": lambda house: house.model.faults.add("overloaded", purpose="dream"),
    "declined": lambda house: house.model.faults.add("refusal", purpose="dream"),
    "limit of 2 turns": lambda house: {},
    "longer than 50 minutes": lambda house: {"decide": lambda _: house.clock.sleep(3001)},
    "nobody decided": lambda house: {"decide": lambda _: None},
    "nobody to ask": lambda house: {"decide": None},
    "stopped": lambda house: {"allowed": lambda: False},
}


@pytest.mark.behaviour("K0", "K4")
@pytest.mark.parametrize("why", FAILS)
def test_one_that_fails_leaves_all_as_before(night: House, why: str) -> None:
    before, more = n.tree(night.memory, hidden=True), FAILS[why](night) or {}
    assert night.settings.dream_max_turns == night.settings.dream_max_minutes == 50
    if why == "limit of 2 turns":
        night.settings = night.settings.with_changes(dream_max_turns=2)
    more["policy"] = "ask" if "decide" in more else "apply"
    task = n.sleep(night, *n.merge(), **more)
    assert (why in task.notice, task.notice.endswith(AS_BEFORE)) == (True, True)
    after = n.tree(night.memory, hidden=True)
    assert after.pop(".memlab/consolidate.guard")
    assert after == before
    assert n.lock(night).last_consolidated_at() is None
    ends = [len(night.events.of(one)) for one in (DreamFailed, DreamCompleted)]
    assert ends == [1, 0]
    assert not list(night.home.parent.glob("memlab-dream-*"))


@pytest.mark.behaviour("K2")
@pytest.mark.parametrize("stopped", [False, True])
def test_a_task_tells_live_what_it_does_and_stops(night: House, stopped: bool) -> None:
    before, task, seen = n.tree(night.memory), DreamTask(), list[tuple[str, int, int]]()
    night.answers("dream", *n.merge())

    async def watched() -> None:
        running = asyncio.create_task(n.make(night).run(n.prefix(night), task=task))
        while not running.done():
            if task.job and not task.stopping:
                assert task.pill == "dreaming"
                calls = task.tool_counts.total()
                seen.append((task.phase, calls, len(task.files_touched)))
                assert not stopped or task.phase != "updating" or task.stop()
            await asyncio.sleep(0)
        assert running.cancelling() == 0, "whoever awaits a stopped dream goes on"

    run(watched())
    assert list(dict.fromkeys(row[0] for row in seen)) == ["starting", "updating"]
    assert (seen, task.pill) == (sorted(seen, key=lambda row: row[1:]), "")
    if stopped:
        assert task.notice == f"The dream was stopped. {AS_BEFORE}"
        assert n.tree(night.memory) == before
        assert n.lock(night).last_consolidated_at() is None
    else:
        assert task.tool_counts == {"Read": 3, "Write": 2}
        assert task.files_touched == ("tabs.md", "sql.md")


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
TOLD = [writes("tabs.md", note(f"{n.TABS} {SECRET}", "tabs"))]
TOLD.append(writes("gate.md", n.gone(superseded_by="tabs.md")))


@pytest.mark.behaviour("K3")
@pytest.mark.parametrize("calls", [WROTE, TOLD])
@pytest.mark.parametrize("written", [True, False])
def test_what_came_meanwhile_stays(night: House, written: bool, calls: list[Any]) -> None:
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
def test_what_is_pinned_stays(night: House) -> None:
    night.fill(tabs=note(n.TABS, "tabs", pinned="true"))
    before = night.files()
    assert n.sleep(night, *n.merge()).phase == "done"
    assert night.files() == before


@pytest.mark.behaviour("K1")
def test_sessions_that_do_not_fit_stay_due(night: House, monkeypatch: Patch) -> None:
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

    dream(paths, paths[3:], paths[:3])  # the newest, and then what was due
    dream([*paths[:3], paths[4]], paths[:2], [paths[2], paths[4]])


def test_no_character_hides_text_in_the_diff_that_a_person_reviews() -> None:
    new = {"a.md": "Pay \u202emiK\u202c later.".encode()}
    shown = diffs({"a.md": b"Pay Kim."}, new)["a.md"]
    assert ("\u202e" in shown, "later" in shown) == (False, True)


def test_code_puts_the_index_in_order_whatever_the_model_did(night: House) -> None:
    index, own = night.memory / INDEX, "Keep the boats together.\n"
    lines = [one for one in index.open() if "freeze.md" not in one]
    index.write_text("".join(["- [Old](old.md) — gone\n", own, *lines]))
    before = index.read_text()
    secret = f"{before}- [Key](tabs.md) — password: hunter2-Tr0ub4dor\n"
    task = n.sleep(night, [reads(INDEX)], [writes(INDEX, secret)], "Done.")
    now = index.read_text()
    for text, there in (("(old.md)", 0), ("(freeze.md)", 1), (own, 1), ("hunter2", 0)):
        assert now.count(text) == there
    night.store.undo(task.receipt.change)
    assert index.read_text() == before


def test_a_dream_hears_nothing_that_was_said_off_the_record(house: House) -> None:
    transcript = house.transcript()
    for text, off in (("We use Postgres here.", False), ("I see a doctor.", True)):
        transcript.append("user", text, off_record=off)
    heard = " ".join(one.sentence.text for one in said_in([transcript.path], nowhere))
    assert ("Postgres" in heard, "doctor" in heard) == (True, False)


def test_what_is_decided_on_meanwhile_is_not_accepted_too(night: House, monkeypatch: Patch) -> None:
    doubtful = note(f"{n.TABS} Maren's password for the gate is known to Mika.", "tabs")
    n.sleep(night, READ, [writes("tabs.md", doubtful)], "Done.")
    review = n.waiting(night)
    before, support = night.files(), review.store.support

    def rejected_here(*given: Any) -> Any:
        assert n.waiting(night).reject()
        return support(*given)

    monkeypatch.setattr(review.store, "support", rejected_here)
    with pytest.raises(DreamError, match="no longer"):
        review.accept({"tabs.md"})
    assert (night.files(), review.there) == (before, False)
