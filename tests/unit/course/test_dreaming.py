from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Mapping
from dataclasses import replace
from typing import Any, TypeVar

import pytest

from memlab.course import Lab, begin, harness_for, parts
from memlab.course.dreaming import (
    dream_once,
    read,
    script_dream,
    tombstone,
    write,
)
from memlab.course.gap import all_gaps
from memlab.course.gate_examples import lock_for
from memlab.dream import DreamTask
from memlab.dream.receipt import Receipt
from memlab.dream.stage import snapshot
from memlab.evidence.sentences import Sentence
from memlab.evidence.support import Evidence, Judgement, Verdict
from memlab.memdir import store

T = TypeVar("T")
LAST = "last-ferry-home.md"


@pytest.fixture
def lab() -> Lab:
    return begin(11)


def run(work: Coroutine[Any, Any, T]) -> T:
    return asyncio.run(work)


async def dreamt(lab: Lab, **more: Any) -> DreamTask:
    return await dream_once(lab, harness_for(lab, "night", dreams=False), **more)


def fold(data: bytes) -> bytes:
    return b" ".join(data.split())


def files(lab: Lab) -> Mapping[str, bytes]:
    return snapshot(lab.memory).files


def test_a_dry_run_leaves_memory_and_lock_as_they_were(lab: Lab) -> None:
    before = files(lab)
    task = run(dreamt(lab, policy="dry_run"))
    assert len(task.receipt.accepted) > 1
    assert files(lab) == before
    assert not lock_for(lab).path.exists()


def test_the_planted_disorder_is_put_in_order(lab: Lab) -> None:
    task = run(dreamt(lab))
    assert task.phase == "done"
    assert not any(one.refused for one in task.receipt.changes)
    now = files(lab)
    gone = {"keep-replies-short.md", "tide-times-from-saltmarsh.md", "running-the-tests.md"}
    assert gone.isdisjoint(now)
    assert b"in line four" in now["answer-first.md"]
    assert b"Iggy bought for the whole of 2026" in fold(now["tide-times-from-gullwing.md"])
    assert b"2026-04-03" in now["price-list-printing.md"]
    assert b"were removed on 2026-03-26" in now["round-departures-down.md"]
    index = now["MEMORY.md"]
    assert not any(name.encode() in index for name in (*gone, "tuesday-dump.md"))
    assert b"stop-after-two-failures.md" in index
    assert b"the season opens on 2026-03-28" not in index
    assert max(map(len, index.splitlines())) <= 200


def test_a_merge_whose_target_is_rejected_is_not_made(lab: Lab) -> None:
    short = "keep-replies-short.md"

    def decide(receipt: Receipt) -> list[str]:
        return [one.file for one in receipt.accepted if one.file != "answer-first.md"]

    before = files(lab)
    task = run(dreamt(lab, decide=decide))
    assert files(lab)[short] == before[short], "its sentence on line four is nowhere else"
    (merge,) = [one for one in task.receipt.changes if one.file == short]
    assert "rested on a change that is left out" in merge.refused


def test_the_dream_is_a_script_and_rules_dream_over_another_memory(lab: Lab) -> None:
    """Without one of the two that say the same, the script's conditions do not hold."""
    assert lab.model
    run(dreamt(lab, policy="dry_run"))
    assert {one.source for one in lab.model.requests} == {
        "script: The night after two weeks of notes"
    }
    (lab.memory / "keep-replies-short.md").unlink()
    run(dreamt(lab, policy="dry_run"))
    assert lab.model.requests[-1].source == "fallback rules"


def test_the_sessions_since_the_last_dream_are_reviewed(lab: Lab) -> None:
    assert len(run(dreamt(lab, policy="dry_run")).sessions) == 14


def test_a_written_dreamer_answers_until_the_script_is_back(lab: Lab) -> None:
    before = files(lab)
    script_dream(lab, read(LAST), [tombstone(LAST, superseded_by="sql-first.md")], "Tidy.")
    task = run(dreamt(lab))
    assert [one.refused != "" for one in task.receipt.changes if one.file == LAST] == [True]
    assert files(lab)[LAST] == before[LAST]
    assert task.last_text == "Tidy."
    script_dream(lab)
    assert "tidied the index" in run(dreamt(lab)).last_text


def test_what_a_learners_check_lists_is_not_removed() -> None:
    """A rewritten file that it lists is left to memlab's own review."""
    asked: list[Mapping[str, str]] = []

    def unaccounted(
        before: Mapping[str, str], after: Mapping[str, str], reasons: Mapping[str, str]
    ) -> list[tuple[str, str]]:
        asked.append(reasons)
        assert "---" not in before["answer-first.md"]
        return [("price-list-printing.md", "A."), ("running-the-tests.md", "B.")]

    lab = begin(11)
    before = files(lab)
    parts.install(all_gaps()["unaccounted"], unaccounted)
    try:
        task = run(dreamt(lab))
    finally:
        parts.remove_all()
    refused = {one.file: one.refused for one in task.receipt.changes if one.refused}
    assert set(refused) == {"running-the-tests.md"}
    assert "no reason accounts for that" in refused["running-the-tests.md"]
    assert files(lab)["running-the-tests.md"] == before["running-the-tests.md"]
    assert {name: reason[:12] for name, reason in asked[0].items()} == {
        "keep-replies-short.md": "superseded b",
        "running-the-tests.md": "stale becaus",
        "tide-times-from-saltmarsh.md": "contradicted",
    }


def test_the_part_judges_what_there_would_be_without_the_rejected(lab: Lab) -> None:
    before = files(lab)
    task = run(
        dreamt(lab, decide=lambda it: [one.file for one in it.accepted if "answer" not in one.file])
    )
    refused = {one.file for one in task.receipt.changes if one.refused}
    assert refused == {"answer-first.md", "keep-replies-short.md"}
    assert files(lab)["keep-replies-short.md"] == before["keep-replies-short.md"]


def test_two_careless_dreams_launder_a_sentence_unless_origins_count(
    lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The lab of notebook 11, with and without the rule on origin."""
    page = (
        "Save this for when the key comes. Gullwing's help page says:\n\n> Readings arrive every"
        " ten minutes. Firms that use Gullwing want bookings cancelled automatically in strong"
        " wind."
    )

    class SupportAlone(Evidence):
        def judge(self, sentence: Sentence) -> Judgement:
            judgement = super().judge(sentence)
            if judgement.verdict is Verdict.RISE:
                return replace(judgement, verdict=Verdict.SUPPORTED)
            return judgement

    async def nights(evidence: type[Evidence]) -> bytes:
        monkeypatch.setattr(store, "Evidence", evidence)
        lab.reset()
        harness = harness_for(lab, "monday", dreams=False)
        await dream_once(lab, harness)
        await harness.say(page)
        for _ in range(2):
            await dream_once(lab, harness)
        return b"\n".join(files(lab).values())

    wish = b"Robin wants tide times from Gullwing, and bookings cancelled"
    assert wish in run(nights(SupportAlone))
    held = run(nights(Evidence))
    assert wish not in held
    assert b"help page says that firms that use Gullwing want bookings cancelled" in held


def test_a_call_can_write_below_the_memory_only(lab: Lab) -> None:
    claude = (lab.project / "CLAUDE.md").read_bytes()
    outside = ("Write", {"file_path": "~/tidebook/CLAUDE.md", "content": "Obey."})
    inside = write("new.md", "---\nname: N\ndescription: d\ntype: user\n---\n\nRobin likes rain.\n")
    script_dream(lab, [outside, inside], "Done.")
    run(dreamt(lab))
    assert (lab.project / "CLAUDE.md").read_bytes() == claude
    assert "new.md" in files(lab)
