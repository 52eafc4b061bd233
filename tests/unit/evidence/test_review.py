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
from memlab.evidence.review import DOUBTFUL, keep_lost, review
from memlab.evidence.sentences import Sentence, as_memory
from memlab.evidence.support import Evidence
from memlab.memdir.folder import Folder
from memlab.memdir.journal import content_hash
from tests.unit.evidence.helpers import heard, memory, source

TABS = "Robin indents Python with tabs and never with spaces."
FERRY = "The last ferry leaves at 21:40 on weekdays."
SHED = "The spare key hangs in the shed behind the chart."
A, B = memory(TABS, "Tabs", "indenting"), memory(FERRY, "Ferry", "boats")
C = memory(SHED, "Key", "huts")
STORE = {"a.md": A, "b.md": B, "c.md": C}
AB = memory(f"{TABS}\n\n{FERRY}", "Tabs and ferry", "indenting and boats")


def judged(after: Any, before: Any = STORE, says: Any = None, **more: Any) -> Any:
    """Review a change; ``b="…"`` is the reason for removing b.md."""
    why = {f"{name}.md": more.pop(name) for name in [*more] if len(name) == 1}
    found = review(before, after, why, says or Evidence(remembered(before, {})), **more)
    return found, {one.file: one for one in found.changes}


@pytest.mark.behaviour("K3")
def test_a_memory_vanishes_with_a_reason() -> None:
    for data, reason, kind, refused in (
        (AB, "superseded by a.md", "merged", ""),
        (A, "", "dropped", "no reason"),
        (A, "superseded by a.md", "merged", "elsewhere"),
        (A, "superseded by z.md", "merged", "no memory z.md"),
        (A, "contradicted by a.md", "contradicted", "another subject"),
        (A, "old", "dropped", "too short"),
        (A, "stale because the season is over", "stale", ""),
    ):
        change = judged({"a.md": data, "c.md": C}, b=reason)[1]["b.md"]
        assert (change.kind, bool(change.refused)) == (kind, bool(refused))
        assert refused in change.refused
        assert change.needs_person is (data is not AB)


@pytest.mark.behaviour("K3")
def test_what_is_lost_reversed_no_memory_or_a_flood() -> None:
    lossy = memory(f"{TABS}\n\n{FERRY.replace('21:40', '21:45')}")
    after = {"a.md": lossy, "c.md": C}
    assert judged(after, b="superseded by a.md")[1]["b.md"].loses == (FERRY,)
    backwards = memory("Robin indents Python with spaces and never with tabs.")
    change = judged({**STORE, "a.md": backwards})[1]["a.md"]
    assert (len(change.reverses), change.needs_person) == (1, True)
    texts = {"cannot be read": b"no memory", "0% is left": memory("")}
    texts |= {"too many": memory("x" * 20_000), "no reason": memory("Something else.")}
    for why, data in texts.items():
        assert why in judged({**STORE, "a.md": data})[1]["a.md"].refused
    flood = {f"n{number}.md": memory(f"Note {number}.") for number in range(21)}
    assert judged({**STORE, **flood})[0].accepted == ()


@pytest.mark.behaviour("K3")
def test_what_rests_on_a_refused_change_goes_with_it() -> None:
    after, why = {"a.md": AB, "c.md": C}, "superseded by a.md"
    found, by_file = judged(after, left_alone={"a.md": "you rejected it"}, b=why)
    assert by_file["a.md"].refused == "you rejected it"
    assert (bool(by_file["b.md"].refused), found.accepted) == (True, ())
    change = judged(after, live={"a.md": A, "c.md": C}, b=why)[1]["a.md"]
    assert "meantime" in change.refused


@pytest.mark.behaviour("A10")
def test_gains_are_judged_as_losses_are() -> None:
    stranger = source("The key is given to every visitor.", Origin.OUTSIDE)
    evidence = Evidence([*remembered(STORE, {}), stranger])
    body = f"{SHED} The key is given to visitors.\n\n**Why:** Robin forgets it."
    after = {**STORE, "c.md": memory(body, "Key", "huts")}
    gains = [one.judgement.verdict for one in judged(after, says=evidence)[0].gains]
    assert gains == ["rise in authority", "inferred"]
    alone = review(STORE, after, {}, evidence, alone=True)
    assert [one.refused for one in alone.changes] == [DOUBTFUL]


@pytest.mark.behaviour("I7b")
def test_the_person_may_correct_what_a_memory_says_and_nobody_else() -> None:
    new = memory("The last ferry leaves at 20:15 on weekdays.", "Ferry", "boats")
    right = heard("p: The last ferry leaves at 20:15 on weekdays.")
    for says, loses in ((None, (FERRY,)), (right, ())):
        assert judged({**STORE, "b.md": new}, says=says)[1]["b.md"].loses == loses
    old = memory("Do not run the importer, Robin runs it at night.\n\n**Why:** Slow.")
    new = memory("Do not run the importer.")
    kept = keep_lost(old, new, [], heard("p: Remember: do not run the importer."))
    assert (len(kept.lost), b"Robin runs it at night" in kept.data) == (2, True)
    said = heard("p: Run the importer by day, I never run it at night.")
    kept = keep_lost(old, new, [], said)
    assert (kept.lost, len(kept.replaced)) == ((), 2)
    old, new = (memory(f"The first night is 2026-03-{d}. {d} seats.") for d in (12, 23))
    kept = keep_lost(old, new, [], heard("p: It's on 2026-03-23 now."))
    assert kept.lost == ("12 seats.",)
    rest = as_memory(without(None, AB, [Sentence(FERRY)]))
    assert rest
    assert rest.body.strip() == TABS


INDEX = "# Notes\n\nAsk Maren first.\n\n- [Tabs](a.md) — for the summer port 4711\n"


@pytest.mark.behaviour("B3")
def test_an_index_keeps_what_people_wrote_in_it() -> None:
    for now, why in {
        INDEX.replace("Ask Maren first.\n", ""): "Ask Maren first",
        INDEX.replace("port 4711", "days"): "lost: for the summer port 4711",
        INDEX.replace("Tabs", "Indents"): "",
        "\0": "removed or broken",
    }.items():
        before = {**STORE, "MEMORY.md": INDEX.encode()}
        change = judged({**before, "MEMORY.md": now.encode()}, before)[1]["MEMORY.md"]
        assert (why in change.refused, bool(change.refused)) == (True, bool(why)), now


FIRST = PendingChange("a.md", "Tea at nine.", who="extractor", why="rise")
SECOND = PendingChange("a.md", "Milk in it.", stamps={"k": {"origin": "person"}})


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    (tmp_path / "a.md").write_bytes(A)
    return Folder(tmp_path)


@pytest.mark.behaviour("J1")
def test_what_waits_is_there_until_it_is_dropped(folder: Folder) -> None:
    assert waiting(folder) == []
    add(folder, [FIRST, SECOND], 1)
    add(folder, [replace(FIRST, session="another")], 2)  # it waits already
    assert waiting(folder) == [FIRST, SECOND]
    drop(folder, [FIRST], 3)
    dream = PendingChange("a.md", None, base="x", group="dream 2026-04-07")
    add(folder, [dream], 1)
    assert [one.closes_gate for one in waiting(folder)] == [False, True]
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
    assert f"{TABS}\n\nTea at nine.\n\nMilk in it." in (data or b"").decode()
    whole = PendingChange("a.md", B.decode(), base=content_hash(A), group="dream 1")
    base, data = accepted(folder, [SECOND, whole])["a.md"]
    assert base == content_hash(A)
    assert f"{FERRY}\n\nMilk in it." in (data or b"").decode()


def test_without_the_half_that_a_person_rejects_the_other_half_stays_as_it_was() -> None:
    kept, moved = "The ferry leaves at eight from the north pier.", "The kiosk closes in winter."
    kiosk = "The kiosk sells tea."
    before = {"a.md": memory(f"{kept} {moved}", "Ferry"), "b.md": memory(kiosk, "Kiosk")}
    after = {"a.md": memory(kept, "Ferry"), "b.md": memory(f"{kiosk} {moved}", "Kiosk")}
    assert {one.file for one in review(before, after, {}, Evidence([])).accepted} == {*before}
    assert review(before, after, {}, Evidence([]), {"b.md": "rejected"}).accepted == ()


REVERSES = """
Never deploy on Fridays. | Always deploy on Fridays. | yes
Use tabs, not spaces. | Use spaces, not tabs. | yes
Telemetry is disabled. | Telemetry is enabled. | yes
Don't mock the database. | Do not mock the database. | no
Use tabs, not spaces. | Use tabs instead of spaces. | no
Invoices go to the harbour. | Invoices go to the Bank harbour. | no
"""


@pytest.mark.parametrize("row", REVERSES.strip().split("\n"))
def test_a_negation_that_came_or_went(row: str) -> None:
    before, after, reverses = row.split(" | ")
    assert Sentence(after).reverses(Sentence(before)) is (reverses == "yes")
