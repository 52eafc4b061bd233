"""What a change loses and gains, which changes are refused for it, and what waits."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from memlab.errors import StoreError
from memlab.evidence.hold import without
from memlab.evidence.origin import Origin, remembered
from memlab.evidence.pending import LIST, PendingChange, accepted, add, drop, waiting
from memlab.evidence.review import DOUBTFUL, Review, keep_lost, review
from memlab.evidence.sentences import Sentence, as_memory
from memlab.evidence.support import Evidence
from memlab.memdir.folder import Folder
from memlab.memdir.journal import content_hash
from tests.unit.evidence.helpers import heard, memory, source
from tests.work import calls

TABS = "Robin indents Python with tabs and never with spaces."
FERRY = "The last ferry leaves at 21:40 on weekdays."
SHED = "The spare key hangs in the shed behind the chart."
A, B = memory(TABS, "Tabs", "indenting"), memory(FERRY, "Ferry", "boats")
C = memory(SHED, "Key", "huts")
STORE = {"a.md": A, "b.md": B, "c.md": C}
AB = memory(f"{TABS}\n\n{FERRY}", "Tabs and ferry", "indenting and boats")
MERGED = {"a.md": AB, "c.md": C}


def judged(after: Any, before: Any = STORE, says: Any = None, **more: Any) -> Any:
    """Review a change; ``b="…"`` is the reason for removing b.md."""
    why = {f"{name}.md": more.pop(name) for name in [*more] if len(name) == 1}
    found = review(before, after, why, says or Evidence(remembered(before, {})), **more)
    return found, {one.file: one for one in found.changes}


@pytest.mark.behaviour("K3")
@pytest.mark.parametrize(
    ("after", "reason", "kind", "refused"),
    [
        (MERGED, "superseded by a.md", "merged", ""),
        ({"a.md": A}, "", "dropped", "no reason"),
        ({"a.md": A}, "superseded by a.md", "merged", "elsewhere"),
        ({"a.md": A}, "superseded by z.md", "merged", "no memory z.md"),
        ({"a.md": A}, "contradicted by a.md", "contradicted", "another subject"),
        ({"a.md": A}, "old", "dropped", "too short"),
        ({"a.md": A}, "stale because the season is over", "stale", ""),
        ({"a.md": A}, "the person said so", "dropped", ""),
    ],
)
def test_a_memory_vanishes_with_a_reason(after: Any, reason: str, kind: str, refused: str) -> None:
    change = judged({"c.md": C, **after}, b=reason)[1]["b.md"]
    assert (change.kind, bool(change.refused)) == (kind, bool(refused))
    assert refused in change.refused
    assert change.needs_person is (after is not MERGED)
    assert review(STORE, dict(STORE), {}, Evidence([])) == Review()


@pytest.mark.behaviour("K3")
def test_numbers_have_to_be_carried_over_and_a_date_may_replace_tomorrow() -> None:
    lossy = {**MERGED, "a.md": memory(f"{TABS}\n\n{FERRY.replace('21:40', '21:45')}")}
    assert judged(lossy, b="superseded by a.md")[1]["b.md"].loses == (FERRY,)
    office = "The harbour office closes {} at noon."
    before, after = ({"a.md": memory(office.format(d))} for d in ("today", "2026-03-31"))
    assert judged(after, before)[1]["a.md"].loses == ()
    backwards = memory("Robin indents Python with spaces and never with tabs.")
    change = judged({**STORE, "a.md": backwards})[1]["a.md"]
    assert (len(change.reverses), change.needs_person) == (1, True)


@pytest.mark.behaviour("K3")
def test_what_is_no_memory_a_flood_or_one_reason_for_all() -> None:
    texts = {"cannot be read": b"no memory", "0% is left": memory("")}
    texts |= {"too many": memory("x" * 20_000), "no reason": memory("Something else.")}
    for why, data in texts.items():
        assert why in judged({**STORE, "a.md": data})[1]["a.md"].refused
    flood = {f"n{number}.md": memory(f"Note {number}.") for number in range(21)}
    assert judged({**STORE, **flood})[0].accepted == ()
    flood.pop("n0.md")
    assert len(judged({**STORE, **flood})[0].accepted) == 20
    same = "stale because nobody needs it"
    (told,) = judged({"c.md": C}, a=same, b=same)[0].suspicions
    assert "2 memories (a.md, b.md)" in told


@pytest.mark.behaviour("K3")
def test_what_rests_on_a_refused_change_goes_with_it() -> None:
    rejected = {"a.md": "you rejected it"}
    found, by_file = judged(MERGED, left_alone=rejected, b="superseded by a.md")
    assert by_file["a.md"].refused == "you rejected it"
    assert (bool(by_file["b.md"].refused), found.accepted) == (True, ())
    gone = {"a.md": A, "c.md": C}
    change = judged(MERGED, live=gone, b="superseded by a.md")[1]["a.md"]
    assert "meantime" in change.refused


@pytest.mark.behaviour("A10")
def test_gains_are_judged_as_losses_are() -> None:
    stranger = source("The key is given to every visitor.", Origin.OUTSIDE)
    evidence = Evidence([*remembered(STORE, {}), stranger])
    body = f"{SHED} The key is given to visitors.\n\n**Why:** Robin forgets it."
    after = {**STORE, "c.md": memory(body, "Key", "huts")}
    gains = judged(after, says=evidence)[0].gains
    assert [one.judgement.verdict for one in gains] == ["rise in authority", "inferred"]
    alone = review(STORE, after, {}, evidence, alone=True)
    assert [one.refused for one in alone.changes] == [DOUBTFUL]


@pytest.mark.behaviour("I7b")
def test_the_person_may_correct_what_a_memory_says_and_nobody_else() -> None:
    new = memory("The last ferry leaves at 20:15 on weekdays.", "Ferry", "boats")
    train = heard("p: The last train leaves at 20:15 on weekdays.", "p: I like tea.")
    right = heard("p: The last ferry leaves at 20:15 on weekdays.")
    noon = memory("The last ferry leaves at noon.", "Ferry", "boats")
    for data, says, keeps in ((new, None, 0), (new, right, 1), (noon, train, 0)):
        change = judged({**STORE, "b.md": data}, says=says)[1]["b.md"]
        assert change.loses == (() if keeps else (FERRY,))
    old = memory("Do not run the importer, the person runs it at night.\n\n**Why:** Slow.")
    new = memory("Do not run the importer.")
    kept = keep_lost(old, new, [], heard("p: Remember: do not run the importer."))
    assert len(kept.lost) == 2
    assert b"the person runs it at night" in kept.data
    said = heard("p: Run the importer by day, I never run it at night.")
    kept = keep_lost(old, new, [], said)
    assert (kept.lost, len(kept.replaced)) == ((), 2)
    assert keep_lost(old, new, [old.decode()], Evidence([])).lost == ()


@pytest.mark.behaviour("I7b")
def test_what_a_correction_takes_with_it() -> None:
    said = "Paper prices are in Ulf's sheet. It has a tab per year. Ask Ulf for access."
    old, new = memory(said), memory("Paper prices come from the new page.")
    kept = keep_lost(old, new, [], heard("p: Forget the sheet, nobody keeps it."))
    assert (len(kept.replaced), kept.lost) == (2, ("Ask Ulf for access.",))
    old, new = (memory(f"The first night is 2026-03-{d}. {d} seats.") for d in (12, 23))
    kept = keep_lost(old, new, [], heard("p: It's on 2026-03-23 now."))
    assert kept.lost == ("12 seats.",)
    other = memory(f"{TABS}\n\n- {SHED}\n\n**Why:** It is near.", "Other", "elsewhere")
    out = [Sentence(SHED), Sentence("It is near.")]
    labels = [Sentence("Other", label=True), Sentence("elsewhere", label=True)]
    assert without(A, other, [*out, *labels]) == A
    rest = as_memory(without(None, other, [Sentence(f"- {SHED}"), out[1]]))
    assert rest and rest.body.strip() == TABS  # noqa: PT018
    assert (without(None, other, labels), without(A, b"no memory", [])) == (None, A)


INDEX = "# Notes\n\nAsk Maren first.\n\n- [Tabs](a.md) — for the summer port 4711\n"


@pytest.mark.behaviour("B3")
def test_an_index_keeps_what_people_wrote_in_it() -> None:
    for now, why in {
        INDEX.replace("Ask Maren first.\n", ""): "Ask Maren first",
        INDEX.replace("port 4711", "days"): "lost: for the summer port 4711",
        INDEX.replace("Tabs", "Indents"): "",
        INDEX[: INDEX.index("- [")]: "",
        "\0": "removed or broken",
    }.items():
        before = {**STORE, "MEMORY.md": INDEX.encode()}
        change = judged({**before, "MEMORY.md": now.encode()}, before)[1]["MEMORY.md"]
        assert (why in change.refused, bool(change.refused)) == (True, bool(why)), now


def test_a_large_memory_is_reviewed_in_proportion() -> None:
    def work(count: int) -> int:
        lines = [f"Note {number} of the file." for number in range(count)]
        before = {"a.md": memory("\n\n".join(lines)), "b.md": B}
        after = {**before, "a.md": memory("\n\n".join(["I like tea.", *lines[1:]]))}
        return calls(lambda: judged(after, before, heard("p: I like tea.")))

    assert work(800) < 11 * work(100)


FIRST = PendingChange("a.md", "Tea at nine.", who="extractor", why="rise")
SECOND = PendingChange("a.md", "Milk in it.", stamps={"k": {"origin": "person"}})


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    (tmp_path / "a.md").write_bytes(A)
    return Folder(tmp_path)


def body(data: bytes | None) -> list[str]:
    found = as_memory(data)
    return found.body.strip().split("\n\n") if found else []


@pytest.mark.behaviour("J1")
def test_what_waits_is_there_until_it_is_dropped(folder: Folder) -> None:
    assert waiting(folder) == []
    add(folder, [FIRST, SECOND], 1)
    add(folder, [replace(FIRST, session="another")], 2)  # it waits already
    assert waiting(folder) == [FIRST, SECOND]
    drop(folder, [FIRST], 3)
    assert waiting(folder) == [SECOND]
    odd = PendingChange("b.md", b"caf\xe9".decode("utf-8", "surrogateescape"), base="")
    dream = PendingChange("a.md", None, base="x", group="dream 2026-04-07")
    add(folder, [replace(FIRST, who="dream"), dream, odd], 1)
    assert [one.closes_gate for one in waiting(folder)] == [False, False, True, False]
    assert accepted(folder, waiting(folder))["b.md"] == ("", b"caf\xe9")
    folder.write(LIST, b'[{"file": ', 1)
    with pytest.raises(StoreError, match="cannot be read"):
        add(folder, [FIRST], 2)
    assert folder.read(LIST).data == b'[{"file": '


@pytest.mark.behaviour("A8")
def test_what_is_accepted_is_appended_once(folder: Folder) -> None:
    base, data = accepted(folder, [FIRST])["a.md"]
    assert base == content_hash(A)
    folder.write("a.md", data or b"", 1)
    assert accepted(folder, [FIRST])["a.md"][1] == data, "it was stopped half way"
    base, data = accepted(folder, [SECOND])["a.md"]
    assert base == content_hash(folder.read("a.md").data)
    assert body(data) == [TABS, "Tea at nine.", "Milk in it."]
    base, data = accepted(folder, [replace(FIRST, file="my-tea.md")])["my-tea.md"]
    found = as_memory(data)
    assert (base, found and found.name, body(data)) == ("", "My tea", ["Tea at nine."])
    whole = PendingChange("a.md", B.decode(), base=content_hash(A), group="dream 1")
    gone = PendingChange("b.md", None, base="0" * 64, group="dream 1")
    made = accepted(folder, [SECOND, whole, gone])
    assert made["b.md"] == ("0" * 64, None)
    base, data = made["a.md"]
    assert (base, body(data)) == (content_hash(A), [FERRY, "Milk in it."])


def test_without_the_half_that_a_person_rejects_the_other_half_stays_as_it_was() -> None:
    kept, moved = "The ferry leaves at eight from the north pier.", "The kiosk closes in winter."
    kiosk = "The kiosk sells tea."
    before = {"a.md": memory(f"{kept} {moved}", "Ferry"), "b.md": memory(kiosk, "Kiosk")}
    after = {"a.md": memory(kept, "Ferry"), "b.md": memory(f"{kiosk} {moved}", "Kiosk")}
    assert {one.file for one in review(before, after, {}, Evidence([])).accepted} == {*before}
    assert review(before, after, {}, Evidence([]), {"b.md": "rejected"}).accepted == ()
