"""Whether a new sentence is supported, and by whom; the stamps that say so in the journal."""

from __future__ import annotations

from typing import Any

import pytest

from memlab.evidence.origin import Origin, Source, Stamp, explain, remembered, stamps_of
from memlab.evidence.sentences import Sentence
from memlab.evidence.support import Evidence, Verdict
from memlab.memdir.journal import Entry
from tests.unit.evidence.helpers import heard, memory, source

LOVE = "love it when the list is published"
PAGE = f"Bakers {LOVE} without waiting."
SOURCES = (
    source("I want a backup of the recordings every night.", Origin.PERSON),
    source("We keep the ledgers for 10 years.", Origin.PERSON, "ledgers.md"),
    source("The ledgers can be deleted after 2 years.", Origin.PROJECT_FILE),
    source(PAGE, Origin.OUTSIDE, "page.md", "change-0002"),
    source("The user indents with tabs.", Origin.UNKNOWN, "tabs.md"),
    source("Robin works in the bakery.", Origin.PERSON, "robin.md"),
)
VERDICTS = {
    "Backups of the recordings every night are wanted.": "supported person",
    "Robot arms need oil.": "unsupported project file",
    PAGE: "rise outside",
    f"The user {LOVE} without waiting.": "rise outside",
    f"Robin says that bakers {LOVE}.": "rise outside",
    "The user keeps the ledgers for 10 years.": "supported person",
    "The user keeps the ledgers for 2 years.": "rise project file",
    "The user does not keep the ledgers for 10 years.": "rise project file",
    "The user indents with tabs since 2026-03-01.": "supported unknown",
}


@pytest.mark.behaviour("A10")
def test_one_rule() -> None:
    for sentence, wanted in VERDICTS.items():
        found = Evidence(SOURCES).judge(Sentence(sentence))
        verdict, origin = wanted.split(" ", 1)
        assert found.verdict.value.startswith(verdict), found
        assert found.stamp.origin.label == origin, sentence
        assert found.held_back is (verdict in ("unsupported", "rise"))


@pytest.mark.behaviour("A10")
def test_a_sentence_that_stays_keeps_its_origin_and_the_changes_behind_it() -> None:
    stamp = Stamp(Origin.PERSON, "m1", ("change-1",))
    own = Source(Sentence(PAGE), stamp, "own.md", "change-3")
    found = Evidence([*SOURCES, own]).judge(Sentence(PAGE.upper()))
    assert found.verdict is Verdict.SUPPORTED
    assert found.stamp == Stamp(Origin.PERSON, "m1", ("change-1", "change-3"))


@pytest.mark.behaviour("A10", "E4")
def test_what_a_model_infers_is_labelled_unless_a_stranger_had_a_say() -> None:
    evidence = Evidence(SOURCES)
    found = evidence.judge(Sentence("Tabs are easier to read.", inferable=True))
    assert (found.verdict, found.stamp.inferred) == (Verdict.INFERRED, True)
    stranger = Sentence("Bakers love a list that is there.", inferable=True)
    assert evidence.judge(stranger).verdict is Verdict.RISE
    evidence = heard("p: Don't save this: I work at Initech.", "a: Tea is healthy.")
    found = evidence.judge(Sentence("Their employer is Initech."))
    assert found.verdict is Verdict.OFF_RECORD
    said = evidence.judge(Sentence("Tea is healthy."))
    assert said.verdict is Verdict.UNSUPPORTED, "only the assistant said so"


TAKES = (
    "p: The list is never published on Thursdays.|p: The list is off the table."
    "|p: From now on the list is published on Mondays as a page.|p: No list any more."
)
KEEPS = (
    "p: The list is published on Thursdays.|p: Don't forget the list."
    "|WebFetch: The list is never published on Thursdays.|p: Forget the harbour list."
)


def test_only_the_persons_newest_words_take_something_back() -> None:
    lost = Sentence("The list is published on Thursdays.")
    for said in f"{TAKES}|{KEEPS}".split("|"):
        assert heard(said).takes_back(lost) is (said in TAKES), said


TABS, TEA = "The user indents with tabs.", "The user drinks tea."


def entry(number: int, what: str = "write", undoes: str = "", **stamps: Stamp) -> Entry:
    made = {Sentence(text).key: one.as_json() for text, one in stamps.items()}
    more: Any = {"session": "s", "undoes": undoes, "origins": {"a.md": made}}
    at = f"2026-03-0{number}T09:00:00Z"
    return Entry(f"change-{number}", at, "dream", what, (), **more)


@pytest.mark.behaviour("A10")
def test_stamps_and_the_order_of_trust() -> None:
    order = "outside, tool result, unknown, project file, assistant, person"
    assert ", ".join(one.label for one in sorted(Origin)) == order
    assert Origin.from_label("a new one") is Origin.UNKNOWN
    assert Stamp.from_json("damaged") == Stamp()
    own = {TABS: Stamp(Origin.PERSON)}
    entries = [entry(1, **{TABS: Stamp()}), entry(2, "confirm", **own)]
    entries += [entry(3, "undo", "change-2"), entry(4, "undo", "change-3")]
    for most, confirmed in {1: False, 2: True, 3: False, 4: True}.items():
        stamps = stamps_of(entries[:most])
        found = stamps["a.md"][Sentence(TABS).key].stamp
        assert (found.origin is Origin.PERSON) is confirmed
    known = remembered({"a.md": memory(TABS)}, stamps)
    assert {one.stamp.origin for one in known} == {Origin.UNKNOWN, Origin.PERSON}


@pytest.mark.behaviour("A11")
def test_each_sentence_is_explained_through_merges_and_moves() -> None:
    moved = {"place": "b.md", "who": "extractor", "at": "2026-01-01T10:00:00"}
    entries = [
        entry(1, **{TEA: Stamp(Origin.OUTSIDE, moved=moved)}),
        entry(2, **{TABS: Stamp(Origin.OUTSIDE, "m1", ("change-1",))}),
    ]
    found = explain("a.md", memory(f"{TABS} {TEA}\n\nBy hand."), entries)
    tabs, tea, by_hand = map(str, found[2:])
    assert "made from what was written by dream, 2026-03-01T09:00 (change-1)" in tabs
    assert "origin: outside" in tabs
    assert "dream, 2026-03-02T09:00 (change-2), session s, message m1" in tabs
    assert "moved here from b.md; written there by extractor, 2026-01-01" in tea
    assert "origin: unknown" in by_hand
