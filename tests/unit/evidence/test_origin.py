"""Stamps in the journal: what they say, and what they look like after undo, merge and move."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from memlab.evidence.origin import Origin, Stamp, explain, remembered, stamps_of
from memlab.evidence.sentences import Sentence
from memlab.memdir.journal import Entry
from tests.unit.evidence.helpers import memory

TABS, TEA = "The user indents with tabs.", "The user drinks tea."
HOME = Path(__file__).parents[2] / "upgrades" / "version_0_2.json"


def entry(number: int, what: str = "write", undoes: str = "", **stamps: Stamp) -> Entry:
    origins = {"a.md": {Sentence(text).key: one.as_json() for text, one in stamps.items()}}
    at = f"2026-03-0{number}T09:00:00+00:00"
    return Entry(
        f"change-{number}", at, "dream", what, (), session="s", turn="m9", undoes=undoes,
        origins=origins,
    )  # fmt: skip


def test_the_order_of_trust() -> None:
    assert [one.label for one in sorted(Origin)] == [
        "outside",
        "tool result",
        "unknown",
        "project file",
        "assistant",
        "person",
    ]
    assert Origin.from_label("person") is Origin.PERSON
    assert Origin.from_label("a new one") is Origin.from_label(None) is Origin.UNKNOWN


@pytest.mark.parametrize(
    "value",
    [
        {"origin": "person"},
        {"origin": "outside", "message": "m1", "sources": ["change-1"], "inferred": True},
        {"origin": "person", "moved": {"place": "a.md", "who": "user"}},
    ],
)
def test_a_stamp_is_read_as_it_was_written(value: dict[str, Any]) -> None:
    assert Stamp.from_json(value).as_json() == value
    assert Stamp.from_json("damaged") == Stamp()


@pytest.mark.behaviour("A11")
def test_each_sentence_is_explained_through_merges() -> None:
    entries = [
        entry(1, **{TEA: Stamp(Origin.OUTSIDE)}),
        entry(2, **{TABS: Stamp(Origin.OUTSIDE, "m1", ("change-1",))}),
    ]
    found = explain("a.md", memory(f"{TABS}\n\nBy hand."), entries)
    tabs, by_hand = map(str, found[2:])
    assert [line.strip() for line in tabs.splitlines()[1:]] == [
        "origin: outside",
        "written by dream, 2026-03-02T09:00 (change-2), session s, message m1",
        "made from what was written by dream, 2026-03-01T09:00 (change-1), session s, message m9",
    ]
    assert "origin: unknown" in by_hand
    assert "no line of the journal" in by_hand


def test_what_was_moved_says_from_where() -> None:
    moved = {"place": "b.md", "who": "extractor", "at": "2026-01-01T10:00:00", "session": "one"}
    stamp = Stamp(Origin.PERSON, moved=moved)
    line = explain("a.md", memory(TABS), [entry(1, **{TABS: stamp})])[2]
    assert str(line).splitlines()[-1] == (
        "    moved here from b.md; written there by extractor, 2026-01-01T10:00, session one"
    )


def test_a_confirmation_counts_until_it_is_undone() -> None:
    written = entry(1, **{TABS: Stamp()})
    confirmed = entry(2, "confirm", **{TABS: Stamp(Origin.PERSON)})
    undone, again = entry(3, "undo", "change-2"), entry(4, "undo", "change-3")

    def origin(*entries: Entry) -> Origin:
        return stamps_of(entries)["a.md"][Sentence(TABS).key].stamp.origin

    assert origin(written, confirmed) is Origin.PERSON
    assert origin(written, confirmed, undone) is Origin.UNKNOWN
    assert origin(written, confirmed, undone, again) is Origin.PERSON


def test_memories_are_sources_with_their_stamps() -> None:
    stamps = stamps_of([entry(1, **{TABS: Stamp(Origin.PERSON)})])
    found = remembered({"a.md": memory(TABS), "MEMORY.md": b"- [A](a.md)\n"}, stamps)
    assert {one.file for one in found} == {"a.md"}
    assert {one.sentence.text: (one.stamp.origin, one.change) for one in found} == {
        "Notes": (Origin.UNKNOWN, ""),
        "when reading notes": (Origin.UNKNOWN, ""),
        TABS: (Origin.PERSON, "change-1"),
    }


def test_every_sentence_that_version_0_2_stamped_keeps_its_stamp() -> None:
    home = json.loads(HOME.read_text("utf-8"))
    checked = 0
    for path, journal in home.items():
        if not path.endswith(".memlab/journal.jsonl"):
            continue
        memory = path.removesuffix(".memlab/journal.jsonl")
        # the last line may be half of one
        for line in map(json.loads, journal["text"].split("\n")[:-1]):
            # a stamp belongs to the version that its change wrote
            wrote = {one["file"]: one["after"] for one in line.get("changes", ())}
            for file, stamps in line.get("origins", {}).items():
                image = f"{memory}.memlab/images/{wrote.get(file)}"
                found = home.get(image) or home[f"{memory}{file}"]
                sentences = remembered({file: found["text"].encode()}, {})
                keys = {one.sentence.key for one in sentences}
                assert set(stamps) <= keys
                checked += len(stamps)
    assert checked >= 4
