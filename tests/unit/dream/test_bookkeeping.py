"""After a dream the index obeys its rules, whatever the model did and whatever was refused."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

import pytest

from memlab.dream.receipt import Receipt
from memlab.memdir.doctor import diagnose
from memlab.memdir.index import cut, memlab_caps, parse_pointers
from memlab.memdir.places import INDEX
from memlab.memdir.scan import scan_memory_files
from memlab.memdir.store import MemoryStore
from tests.unit.dream.helpers import DreamSetup, Step, dream_setup, text

HAND = "- [Boats](boat-000.md) — the oldest one, and my favourite\n"
WORDS = "the pump of the jetty is switched by hand when the tide is above four metres"
BODY = "It is moored at 7. It is red."


@pytest.fixture
def setup() -> Iterator[DreamSetup]:
    """168 memories, and an index of 228 long lines, 60 of which lead nowhere."""
    with dream_setup({}) as made:
        made.memory.mkdir(parents=True, exist_ok=True)
        lines = ["# Robin's index\n", "Keep the boats together.\n"]
        for number in reversed(range(225)):
            name, about = f"Boat {number:03}", f"berth {number}, {WORDS}, and {WORDS}"
            if number == 0:
                lines.append(HAND)
            else:
                lines.append(f"- [{name}](boat-{number:03}.md) — {about}\n")
            if number < 165:
                path = made.memory / f"boat-{number:03}.md"
                path.write_text(text(name, "project", about, f"It is moored at {number}."))
                os.utime(path, (1_770_000_000 + number,) * 2)
        lines.insert(3, "- [Elsewhere](../docs/design.md) — not a memory\n")
        (made.memory / INDEX).write_text("".join(lines))
        yield made


def state(setup: DreamSetup) -> tuple[int, int, int]:
    """Lines, bytes and pointers that lead nowhere."""
    index = (setup.memory / INDEX).read_text()
    files = [one.file for one in parse_pointers(index) if not one.file.startswith("../")]
    dead = [file for file in files if not (setup.memory / file).exists()]
    shown = cut(index, memlab_caps())
    return shown.lines, shown.size, len(dead)


def one_is_refused(setup: DreamSetup) -> list[Step]:
    index = (setup.memory / INDEX).read_text()
    return [
        setup.read(INDEX, "boat-007.md"),
        [
            setup.write(INDEX, f"{index}- [Key](boat-007.md) — password: hunter2-Tr0ub4dor\n"),
            setup.write("boat-007.md", text("Boat 007", "user", f"berth 7, {WORDS}", BODY)),
        ],
        "Done.",
    ]


def accept_all(receipt: Receipt) -> list[str]:
    return [change.file for change in receipt.accepted]


def by_hand(index: str) -> list[str]:
    return [line for line in index.splitlines() if "berth " not in line]


def test_a_dream_whose_write_is_refused_leaves_the_index_in_order(setup: DreamSetup) -> None:
    before = (setup.memory / INDEX).read_text()
    assert state(setup) == (228, 44_843, 60)
    task = setup.sleep(*one_is_refused(setup), policy="ask", decide=accept_all)
    lines, size, dead = state(setup)
    assert (lines <= 200, size <= 25_000, dead) == (True, True, 0)
    assert BODY in (setup.memory / "boat-007.md").read_text(), "what was not refused is kept"
    index = (setup.memory / INDEX).read_text()
    assert by_hand(index) == by_hand(before), "no line of a person is changed"

    named = {*re.findall(r"boat-\d+.md", index)}
    left_out = [f"boat-{number:03}.md" for number in range(164, 0, -1)]
    left_out = [file for file in left_out if file not in named]
    assert "boat-007.md" not in left_out, "it was written just now"
    assert max(left_out) < min(named - {"boat-000.md", "boat-007.md"}), "the newest stay"
    assert task.receipt.settled
    assert list(task.receipt.settled.unlisted) == left_out
    assert f"not in the index, because it is full, {len(left_out)}: " in str(task.receipt)
    assert f" {len(left_out)} memories are not in the index" in task.notice
    rules = [one.file for one in diagnose(setup.memory).findings if one.rule == "not-in-index"]
    assert rules == sorted(left_out), "the doctor lists the same ones"
    found = {header.filename for header in scan_memory_files(setup.memory).headers}
    assert found >= set(left_out), "recall still sees them"

    MemoryStore(setup.memory).undo()
    assert (setup.memory / INDEX).read_text() == before, "it was one change"
    receipt = setup.sleep("Nothing to do.", policy="dry_run").receipt
    assert receipt.settled
    assert len(receipt.settled.dead) == 60
    assert (setup.memory / INDEX).read_text() == before, "a dry run only says so"


def test_a_dream_that_changes_nothing_puts_the_index_in_order_once(setup: DreamSetup) -> None:
    assert setup.sleep("Nothing to do.").notice.startswith("The dream put the index in order.")
    index = (setup.memory / INDEX).read_bytes()
    assert setup.sleep("Nothing to do.").receipt.change == ""
    assert (setup.memory / INDEX).read_bytes() == index


def test_rejecting_every_change_leaves_the_index_alone(setup: DreamSetup) -> None:
    before = (setup.memory / INDEX).read_text()
    task = setup.sleep(*one_is_refused(setup), policy="ask", decide=lambda receipt: ())
    assert (task.receipt.change, (setup.memory / INDEX).read_text()) == ("", before)
