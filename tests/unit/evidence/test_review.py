"""What a change loses and gains, and which changes are refused for it."""

from __future__ import annotations

import time

import pytest

from memlab.evidence.hold import without
from memlab.evidence.origin import Origin, remembered
from memlab.evidence.review import DOUBTFUL, Change, Review, keep_lost, review
from memlab.evidence.sentences import Sentence, as_memory
from memlab.evidence.support import Evidence
from tests.unit.evidence.helpers import heard, memory, source

TABS = "Robin indents Python with tabs and never with spaces."
FERRY = "The last ferry leaves at 21:40 on weekdays."
SHED = "The spare key hangs in the shed behind the chart."
A, B, C = (
    memory(TABS, "Tabs", "indenting"),
    memory(FERRY, "Ferry", "boats"),
    memory(SHED, "Key", "huts"),
)
STORE = {"a.md": A, "b.md": B, "c.md": C}
BOTH = memory(f"{TABS}\n\n{FERRY}", "Tabs and ferry", "indenting and boats")


def judged(
    after: dict[str, bytes],
    before: dict[str, bytes] = STORE,
    evidence: Evidence | None = None,
    live: dict[str, bytes] | None = None,
    left_alone: dict[str, str] | None = None,
    **reasons: str,
) -> tuple[Review, dict[str, Change]]:
    """Review a change; ``b="…"`` is the reason for removing b.md."""
    evidence = evidence or Evidence(remembered(before, {}))
    why = {f"{name}.md": text for name, text in reasons.items()}
    found = review(before, after, why, evidence, left_alone, live)
    return found, {one.file: one for one in found.changes}


def test_nothing_changed_is_an_empty_review() -> None:
    assert review(STORE, dict(STORE), {}, Evidence([])) == Review()


@pytest.mark.behaviour("K3")
def test_a_merge_is_no_loss_although_the_tombstone_came_first() -> None:
    found, by_file = judged({"a.md": BOTH, "c.md": C}, b="superseded by a.md")
    assert not any(one.refused for one in found.changes)
    assert (by_file["b.md"].kind, by_file["b.md"].keeps) == ("merged", 1.0)
    assert by_file["b.md"].line == "b.md merged into a.md"
    assert not any(one.needs_person for one in found.changes)


@pytest.mark.parametrize(
    ("reason", "kind", "refused"),
    [
        ("", "dropped", "no reason was given"),
        ("superseded by a.md", "merged", "of what it says is found again"),
        ("superseded by z.md", "merged", "no memory z.md is left"),
        ("contradicted by a.md", "contradicted", "is not about this matter"),
        ("old", "dropped", "too short"),
        ("stale because the season is over", "stale", ""),
        ("the person said so", "dropped", ""),
    ],
)
def test_a_memory_vanishes_only_with_a_reason(reason: str, kind: str, refused: str) -> None:
    change = judged({"a.md": A, "c.md": C}, b=reason)[1]["b.md"]
    assert change.kind == kind
    assert refused in change.refused
    assert bool(change.refused) == bool(refused)
    assert change.needs_person or kind == "merged"


def test_numbers_have_to_be_carried_over_and_a_date_may_replace_tomorrow() -> None:
    lossy = memory(f"{TABS}\n\n{FERRY.replace('21:40', '21:45')}")
    change = judged({"a.md": lossy, "c.md": C}, b="superseded by a.md")[1]["b.md"]
    assert change.loses == (FERRY,)
    before = {"a.md": memory("The harbour office closes tomorrow at noon.")}
    after = {"a.md": memory("The harbour office closes 2026-03-31 at noon.")}
    assert judged(after, before)[1]["a.md"].loses == ()


@pytest.mark.parametrize(
    ("data", "refused"),
    [
        (b"no memory", "cannot be read"),
        (memory(""), "0% is left"),
        (memory("x" * 20_000), "too many"),
        (memory("Something else entirely."), "a rewrite gives no reason"),
    ],
)
def test_what_is_no_memory_any_more_is_refused(data: bytes, refused: str) -> None:
    assert refused in judged({**STORE, "a.md": data})[1]["a.md"].refused


def test_what_rests_on_a_refused_change_is_refused_too() -> None:
    after = {"a.md": BOTH, "c.md": C}
    found, by_file = judged(after, left_alone={"a.md": "you rejected it"}, b="superseded by a.md")
    assert by_file["a.md"].refused == "you rejected it"
    assert by_file["b.md"].refused
    assert found.accepted == ()


def test_a_flood_of_files_is_refused() -> None:
    new = {f"n{number}.md": memory(f"Note {number}.") for number in range(21)}
    found = judged({**STORE, **new})[0]
    assert len(found.changes) == 21
    assert found.accepted == ()


@pytest.mark.behaviour("K3")
def test_what_somebody_removed_meanwhile_does_not_come_back() -> None:
    live = {"a.md": A, "c.md": C}
    change = judged({"a.md": BOTH, "c.md": C}, live=live, b="superseded by a.md")[1]["a.md"]
    assert "in the meantime" in change.refused


def test_a_reversal_is_listed_and_needs_the_person() -> None:
    after = {**STORE, "a.md": memory("Robin indents Python with spaces and never with tabs.")}
    change = judged(after)[1]["a.md"]
    assert len(change.reverses) == 1
    assert change.needs_person


def test_one_reason_for_several_memories_is_suspicious() -> None:
    found = judged(
        {"c.md": C}, a="stale because nobody needs it", b="stale because nobody needs it"
    )
    assert "2 memories (a.md, b.md)" in found[0].suspicions[0]


@pytest.mark.behaviour("A10")
def test_gains_are_judged_as_losses_are() -> None:
    stranger = source("The key is given to every visitor.", Origin.OUTSIDE)
    evidence = Evidence([*remembered(STORE, {}), stranger])
    body = f"{SHED} The key is given to visitors.\n\n**Why:** Robin forgets it."
    after = {**STORE, "c.md": memory(body, "Key", "huts")}
    found = judged(after, evidence=evidence)[0]
    assert [(one.sentence.text, one.judgement.verdict) for one in found.gains] == [
        ("The key is given to visitors.", "rise in authority"),
        ("Robin forgets it.", "inferred"),
    ]
    alone = review(STORE, after, {}, evidence, alone=True)
    assert [one.refused for one in alone.changes] == [DOUBTFUL]


def test_the_person_may_correct_what_a_memory_says() -> None:
    new = memory("The last ferry leaves at 20:15 on weekdays.", "Ferry", "boats")
    correction = heard("p: The last ferry leaves at 20:15 on weekdays.")
    assert judged({**STORE, "b.md": new})[1]["b.md"].loses == (FERRY,)
    assert judged({**STORE, "b.md": new}, evidence=correction)[1]["b.md"].loses == ()
    noon = memory("The last ferry leaves at noon.", "Ferry", "boats")
    other = heard("p: The last train leaves at 20:15 on weekdays.", "p: I like tea.")
    assert judged({**STORE, "b.md": noon}, evidence=other)[1]["b.md"].loses == (FERRY,)


INDEX = b"# My notes\n\nAsk Maren first.\n\n- [Tabs](a.md) \xe2\x80\x94 for the summer port 4711\n"


@pytest.mark.behaviour("B3")
@pytest.mark.parametrize(
    ("now", "refused"),
    [
        (INDEX.replace(b"Ask Maren first.\n", b""), "Ask Maren first"),
        (INDEX.replace(b"port 4711", b"days"), "lost: for the summer port 4711"),
        (INDEX.replace(b"Tabs", b"Indents"), ""),
        (INDEX[: INDEX.index(b"- [")], ""),
        (b"\0", "removed or broken"),
    ],
)
def test_an_index_keeps_what_people_wrote_in_it(now: bytes, refused: str) -> None:
    change = judged({**STORE, "MEMORY.md": now}, {**STORE, "MEMORY.md": INDEX})[1]["MEMORY.md"]
    assert refused in change.refused
    assert bool(change.refused) == bool(refused)


@pytest.mark.behaviour("I7b")
def test_a_rewrite_keeps_what_the_person_has_not_taken_back() -> None:
    old = memory("Do not run the importer, the person runs it at night.\n\n**Why:** It is slow.")
    new = memory("Do not run the importer.")
    kept = keep_lost(old, new, [], heard("p: Remember: do not run the importer."))
    assert len(kept.lost) == 2
    assert b"the person runs it at night" in kept.data
    kept = keep_lost(old, new, [], heard("p: Run the importer by day, I never run it at night."))
    assert (kept.lost, len(kept.replaced)) == ((), 2)
    assert keep_lost(old, new, [old.decode()], Evidence([])).lost == ()


def test_a_sentence_with_a_pronoun_goes_with_the_one_before_it() -> None:
    said = "Paper prices are in Ulf's sheet. It has a tab per year. Ask Ulf for access."
    kept = keep_lost(
        memory(said, "Prices", "paper"),
        memory("Paper prices come from the new page.", "Prices", "paper"),
        [],
        heard("p: Forget the sheet, nobody keeps it."),
    )
    assert kept.replaced == ("Paper prices are in Ulf's sheet.", "It has a tab per year.")
    assert kept.lost == ("Ask Ulf for access.",)


def test_another_date_is_a_correction_and_no_loss() -> None:
    old, new = (
        memory(
            f"The first night is 2026-03-{day}. The house has {seats} seats.", "Premiere", "plan"
        )
        for day, seats in (("12", 90), ("23", 80))
    )
    kept = keep_lost(old, new, [], heard("p: It's on 2026-03-23 now."))
    assert kept.lost == ("The house has 90 seats.",)


def test_a_sentence_can_be_taken_out_again() -> None:
    new = memory(f"{TABS}\n\n- {SHED}\n\n**Why:** It is near.", "Other", "elsewhere")
    labels = [Sentence("Other", label=True), Sentence("elsewhere", label=True)]
    rest = without(A, new, [Sentence(SHED), Sentence("It is near."), *labels])
    assert rest == A
    rest = without(None, new, [Sentence(f"- {SHED}"), Sentence("It is near.")])
    found = as_memory(rest)
    assert found is not None
    assert found.body.strip() == TABS
    assert without(None, new, labels) is None
    assert without(A, b"no memory", []) == A


def test_a_megabyte_is_reviewed_in_linear_time() -> None:
    lines = [f"Note {number} of the big file." for number in range(20_000)]
    before = {"a.md": memory("\n\n".join(lines)), "b.md": B}
    begun = time.process_time()
    evidence = heard("p: I like tea.")
    after = {**before, "a.md": memory("\n\n".join(["I like tea.", *lines[1:]]))}
    found, by_file = judged(after, before, evidence)
    assert by_file["a.md"].keeps > 0.9
    assert len(found.gains) == 1
    assert time.process_time() - begun < 8
