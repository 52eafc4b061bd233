from __future__ import annotations

import random
from typing import Any

import pytest

from memlab.dream.receipt import Receipt
from memlab.memdir import coverage
from memlab.memdir.index import INDEX
from memlab.memdir.review import MEMORY_BYTES, MERGED, ProposedChange, Review, review
from memlab.settings import Settings
from tests.unit.dream.helpers import PURSE, text

FILES = {file: text(*parts).encode() for file, parts in PURSE.items()}
ROWS = {file: f"- [{name}]({file}) — {about}\n" for file, (name, _, about, _) in PURSE.items()}
BEFORE = FILES | {INDEX: "".join(ROWS.values()).encode()}
BOTH = text("Tabs", "user", "tabs", f"{PURSE['tabs.md'][3]} {PURSE['tabs-again.md'][3]}").encode()


def changed(*gone: str, **new: str | bytes) -> dict[str, bytes]:
    """The memory after some files went and some were written, ``_`` for ``-`` in names."""
    rest = {name: data for name, data in BEFORE.items() if name not in gone}
    wrote = {
        f"{name.replace('_', '-')}.md": data.encode() if isinstance(data, str) else data
        for name, data in new.items()
    }
    return rest | wrote


def only(receipt: Review) -> ProposedChange:
    assert len(receipt.changes) == 1, receipt
    return receipt.changes[0]


def of(receipt: Receipt, file: str) -> ProposedChange:
    return next(one for one in receipt.changes if one.file == file)


def test_nothing_changed_is_an_empty_receipt() -> None:
    assert review(BEFORE, dict(BEFORE)) == Review()
    assert str(Receipt()) == "Nothing to change."


def test_a_merge_keeps_what_was_said() -> None:
    receipt = review(
        BEFORE, changed("tabs-again.md", tabs=BOTH), {"tabs-again.md": "superseded by tabs.md"}
    )
    gone = of(receipt, "tabs-again.md")
    assert (gone.kind, gone.into, gone.keeps, gone.loses) == ("merged", "tabs.md", 1.0, ())
    assert of(receipt, "tabs.md").kind == "changed"
    assert len(receipt.accepted) == 2
    assert str(Receipt.of(receipt)) == "+ tabs-again.md merged into tabs.md\n+ tabs.md changed"
    assert "-Robin wants tabs in SQL files too" in gone.diff


@pytest.mark.parametrize(
    ("reason", "refused"),
    [
        ("superseded by tabs.md", "found again"),
        ("superseded by nowhere.md", "found again, and no memory nowhere.md is left"),
        ("", "found again, and no reason was given"),
        ("tidy", "its reason is too short"),
    ],
)
def test_a_memory_that_vanishes_without_a_trace_stays(reason: str, refused: str) -> None:
    receipt = review(BEFORE, changed("harbour.md"), {"harbour.md": reason})
    gone = only(receipt)
    assert gone.refused.endswith(refused)
    assert any("channel 12" in one for one in gone.loses)
    assert receipt.accepted == ()


def test_the_number_has_to_be_carried_over() -> None:
    almost = text(
        "Reviews",
        "feedback",
        "reviews",
        PURSE["review.md"][3] + "\n\nThe harbour office answers on channel 12, and by telephone.",
    )
    for number, kept in (("", False), (" Telephone 0177 4321.", True)):
        after = changed("harbour.md", review=almost + number)
        gone = of(review(BEFORE, after, {"harbour.md": "superseded by review.md"}), "harbour.md")
        assert (gone.refused == "") is kept


def test_even_a_copy_goes_only_by_a_word() -> None:
    before = BEFORE | {"twin.md": FILES["harbour.md"]}
    assert "100% of what it says is found again, and no" in only(review(before, BEFORE)).refused
    gone = only(review(before, BEFORE, {"twin.md": "superseded by harbour.md"}))
    assert (gone.kind, gone.into, gone.refused) == ("merged", "harbour.md", "")


def test_a_trail_of_removals_is_followed() -> None:
    reasons = {"tabs.md": "superseded by tabs-again.md", "tabs-again.md": "superseded by all.md"}
    receipt = review(BEFORE, changed("tabs.md", "tabs-again.md", all=BOTH), reasons)
    assert {one.into for one in receipt.changes if one.kind == "merged"} == {"all.md"}
    assert len(receipt.accepted) == 3
    circle = reasons | {"tabs-again.md": "superseded by tabs.md"}
    receipt = review(BEFORE, changed("tabs.md", "tabs-again.md"), circle)
    assert receipt.accepted == ()


@pytest.mark.parametrize(
    ("reason", "kind", "passes"),
    [
        ("contradicted by tabs.md", "contradicted", True),
        ("contradicted by `tabs.md`, said later", "contradicted", True),
        ("contradicted by harbour.md", "contradicted", False),
        ("contradicted by review.md", "contradicted", False),  # Robin stands in both
        ("contradicted by nobody.md", "contradicted", False),
        ("contradicted", "dropped", False),
        ("stale because the season is over", "stale", True),
        ("stale because", "stale", False),
        ("stale because of it", "stale", False),
        ("never to be stored because code tells it", "dropped", True),
        ("the house was sold in May", "dropped", True),
        ("x", "dropped", False),
    ],
)
def test_a_removal_that_keeps_nothing_needs_a_reason(reason: str, kind: str, passes: bool) -> None:
    gone = only(review(BEFORE, changed("tabs-again.md"), {"tabs-again.md": reason}))
    assert gone.kind == kind
    assert (gone.refused == "") is passes
    assert gone.reason == reason, "and it is listed"


def test_an_emptied_body_is_refused() -> None:
    for body in ("", "   ", "\n\n"):
        assert only(review(BEFORE, changed(tabs=text(*PURSE["tabs.md"][:3], body)))).refused


def test_a_body_that_loses_nearly_everything_counts_as_a_removal() -> None:
    hollow = text("Harbour office", "reference", "moorings", "There is an office.")
    loss = only(review(BEFORE, changed(harbour=hollow)))
    assert "a rewrite gives no reason" in loss.refused
    moved = text("Ports", "reference", "moorings", PURSE["harbour.md"][3])
    receipt = review(BEFORE, changed(harbour=hollow, ports=moved))
    assert len(receipt.accepted) == 2, "what was moved is not lost"


def test_a_correction_is_a_change_that_lists_what_it_loses() -> None:
    parts = PURSE["freeze.md"]
    after = text(*parts[:3], parts[3].replace("2026-04-06", "2026-04-13"))
    change = only(review(BEFORE, changed(freeze=after)))
    assert change.refused == ""
    assert change.loses == ("No release between 2026-03-27 and 2026-04-06.",)
    assert 0.5 < change.keeps < 1


def test_writing_a_date_for_a_relative_time_loses_nothing() -> None:
    was = text("Off", "user", "away", "Robin is away next Friday, in 10 days and tomorrow.")
    now = was.replace("next Friday, in 10 days and tomorrow", "2026-04-03, 2026-04-09, 2026-03-31")
    change = only(review(BEFORE | {"off.md": was.encode()}, BEFORE | {"off.md": now.encode()}))
    assert (change.refused, change.keeps) == ("", 1.0)


@pytest.mark.parametrize(
    "data",
    [b"no frontmatter", b"\x00\xff", b"---\nname: [\n---\nx\n", b""],
)
def test_what_cannot_be_read_is_refused(data: bytes) -> None:
    assert "cannot be read" in only(review(BEFORE, changed(new=data))).refused
    broken = BEFORE | {"odd.md": data}
    assert review(broken, broken).changes == (), "what was so before is not the dream's doing"


def test_files_may_not_be_too_large_unless_they_shrink() -> None:
    body = "Robin keeps a list of boats. " * (MEMORY_BYTES // 29)
    large = text("Large", "user", "a list", body).encode()
    assert "too many" in only(review(BEFORE, changed(new=large))).refused
    before = BEFORE | {"new.md": large + b"more of it\n"}
    assert only(review(before, changed(new=large))).refused == ""


def test_a_flood_of_files_is_refused_and_what_rests_on_it() -> None:
    for many, passes in ((20, True), (21, False)):
        flood = {f"n{n}": text(f"N{n}", "user", "n", f"Number {n} is a boat.") for n in range(many)}
        after = changed("tabs-again.md", **flood) | {"n1.md": BOTH}
        receipt = review(BEFORE, after, {"tabs-again.md": "superseded by n1.md"})
        assert len(receipt.accepted) == (many + 1 if passes else 0)


@pytest.mark.parametrize(
    ("target", "passes"),
    [
        ("https://tides.example/a", True),
        ("harbour.md", True),
        ("../../secrets.md", False),
        ("/etc/passwd", False),
        ("~/.ssh/id", False),
        ("file:///etc/passwd", False),
        ("C:\\keys", False),
    ],
)
def test_a_new_link_may_not_lead_out(target: str, passes: bool) -> None:
    linked = text("T", "reference", "a link", f"Look at [this page]({target}) for tides.")
    assert (only(review(BEFORE, changed(t=linked))).refused == "") is passes
    before = BEFORE | {"was.md": linked.encode()}
    moved = review(before, changed(t=linked), {"was.md": "superseded by t.md"})
    assert len(moved.accepted) == 2, "one that was there may be carried over"


def test_what_a_check_refuses_is_left_out() -> None:
    def check(memory: Any, others: Any) -> str:
        return f"{len(others)} others" if memory.name == "Tabs" else ""

    assert only(review(BEFORE, changed(tabs=BOTH), check=check)).refused == "4 others"


def test_what_rests_on_a_refused_change_is_refused_too() -> None:
    told = {"tabs-again.md": "superseded by tabs.md"}
    after = changed("tabs-again.md", tabs=BOTH + b"and so on " * MEMORY_BYTES)
    receipt = review(BEFORE, after, told)
    assert "too many" in of(receipt, "tabs.md").refused
    assert "found again" in of(receipt, "tabs-again.md").refused


def test_held_files_stay_and_what_rests_on_them_too() -> None:
    after = changed("tabs-again.md", tabs=BOTH)
    told = {"tabs-again.md": "superseded by tabs.md"}
    receipt = review(BEFORE, after, told, held={"tabs.md": "no", "other.md": "no"})
    assert of(receipt, "tabs.md").refused == "no"
    assert "found again" in of(receipt, "tabs-again.md").refused


def test_half_a_merge_is_no_merge() -> None:
    """Enough of the other file is found elsewhere, but what was to be carried over is not."""
    short = text("Tabs", "user", "tabs", "Robin wants tabs in SQL files too. Not in Markdown.")
    both = text("Tabs", "user", "tabs", f"{PURSE['tabs-again.md'][3]} Not in Markdown.")
    before = BEFORE | {"short.md": short.encode()}
    after = changed(tabs_again=both)
    reasons = {"short.md": "superseded by tabs-again.md"}
    assert of(review(before, after, reasons), "short.md").refused == ""
    for given in (
        {"held": {"tabs-again.md": "you rejected it"}},
        {"live": before | {"tabs-again.md": FILES["tabs-again.md"] + b"More.\n"}},
    ):
        receipt = review(before, after, reasons, **given)
        gone = of(receipt, "short.md")
        assert gone.keeps >= MERGED
        assert "Not in Markdown." in gone.loses
        assert gone.refused.startswith("it rested on a change that is left out")
        assert receipt.accepted == ()


def test_a_live_change_wins() -> None:
    mine = text("Tabs", "user", "tabs", "Robin indents with spaces now.").encode()
    told = {"tabs-again.md": "superseded by tabs.md"}
    after = changed("tabs-again.md", tabs=BOTH)
    receipt = review(BEFORE, after, told, live=BEFORE | {"tabs.md": mine})
    assert receipt.accepted == ()
    new = BEFORE | {"extra.md": mine}
    assert len(review(BEFORE, after, told, live=new).accepted) == 2


INDEXES = {
    "emptied": (b"", True),
    "binary": (b"\x00\x01", False),
    "not UTF-8": (b"- [Tabs](tabs.md) \xff\n", False),
    "reversed": ("".join(reversed(ROWS.values())).encode(), True),
    "dangling": (BEFORE[INDEX] + b"- [Up](../../up.md) - gone\n", True),
    "too long": (BEFORE[INDEX] + b"more\n" * 200, False),
    "too large": (BEFORE[INDEX] + b"m" * 25_000, False),
}


@pytest.mark.parametrize("kind", INDEXES)
def test_the_index(kind: str) -> None:
    data, passes = INDEXES[kind]
    assert (only(review(BEFORE, BEFORE | {INDEX: data})).refused == "") is passes


def test_the_index_does_not_vanish_nor_lose_what_people_wrote() -> None:
    assert only(review(BEFORE, FILES)).refused
    mine = b"# Robin's\n\nAsk Maren before you touch the tide tables.\n" + BEFORE[INDEX]
    change = only(review(BEFORE | {INDEX: mine}, BEFORE))
    assert "somebody's own would be lost" in change.refused
    hooked = BEFORE[INDEX].replace(b"indents with tabs", b"but never in Makefiles of Maren's")
    change = only(review(BEFORE | {INDEX: hooked}, BEFORE))
    assert "is found nowhere else: but never in Makefiles" in change.refused


def test_an_index_over_its_cap_may_shrink() -> None:
    small = Settings(index_max_lines=2)
    fewer = "".join(list(ROWS.values())[:4]).encode()
    assert only(review(BEFORE, BEFORE | {INDEX: fewer}, settings=small)).refused == ""


def test_long_lines_of_the_index_are_told() -> None:
    long = BEFORE[INDEX].replace(b"small reviews", b"small reviews " * 20)
    assert "too long" in review(BEFORE, BEFORE | {INDEX: long}).problems[0]


def test_file_names_may_hold_blanks() -> None:
    before = {"my tabs.md": FILES["tabs.md"], "her tabs.md": FILES["tabs-again.md"]}
    told = {"her tabs.md": "superseded by my tabs.md"}
    receipt = review(before, {"my tabs.md": BOTH}, told)
    assert of(receipt, "her tabs.md").into == "my tabs.md"
    assert len(receipt.accepted) == 2


def test_the_shortest_memory_is_one() -> None:
    before = {"ed.md": text("Editor", "user", "editor", "Vim.").encode()}
    after = {"ed.md": text("Editor", "user", "editor", "Emacs.").encode()}
    assert only(review(before, after)).keeps == 0.0
    assert only(review(before, {}, {"ed.md": ""})).refused


def test_nothing_on_a_receipt_steers_a_terminal() -> None:
    told = {"tabs.md": "stale because \x1b[2J it is over\nand\u202edone " + "x" * 500}
    odd = text("T", "user", "a link", "See \x1b[31m [it](/etc/\x1b[0m) \u202ethere\u2028.")
    receipt = review(BEFORE, changed("tabs.md", t=odd), told)
    assert len(receipt.changes) == 2
    shown = str(Receipt.of(receipt)) + "".join(one.diff for one in receipt.changes)
    assert "\x1b" not in shown
    assert "\u202e" not in shown
    assert "\u2028" not in shown
    assert len(str(Receipt.of(receipt)).splitlines()) == 3
    assert len(str(Receipt.of(receipt))) < 600


def test_a_lost_sentence_is_not_looked_for_in_every_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[int] = []
    judge = coverage._has_most

    def counted(*given: Any) -> bool:
        looked.append(1)
        return judge(*given)

    def memory(n: int) -> bytes:
        said = " ".join(f"Boat b{n}x{m} q{n}x{m} lies at p{n}x{m}." for m in range(10))
        return text(f"N{n}", "reference", f"boats of {n}", said).encode()

    monkeypatch.setattr(coverage, "_has_most", counted)
    before = {f"n{n}.md": memory(n) for n in range(200)}
    after = {name: data for name, data in before.items() if name != "n7.md"}
    receipt = review(before, after, {"n7.md": "stale because the harbour was closed"})
    assert only(receipt).keeps == 0
    assert len(looked) < 200, "two looks at ten sentences in 199 memories would be 4,000"


def test_a_sentence_is_found_through_the_index_as_it_is_without() -> None:
    chance = random.Random(3)
    vocabulary = [*(f"w{n}" for n in range(30)), "12", "345"]
    found = 0
    for _ in range(500):
        texts = [
            {chance.choice(vocabulary) for _ in range(chance.randrange(12))}
            for _ in range(chance.randrange(8))
        ]
        sentence = " ".join(chance.choice(vocabulary) for _ in range(chance.randrange(10)))
        expected = any(coverage.is_covered(sentence, had) for had in texts)
        assert coverage.CoveringTexts(texts).cover(sentence) is expected
        found += expected
    assert found > 30
