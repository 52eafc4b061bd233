"""After a dream the index obeys its rules, whatever the model did and whatever was refused."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from memlab.memdir.index import INDEX, parse_pointers, truncate_index
from tests.unit.dream.helpers import DreamSetup, Step, dream_setup, text

HAND = "- [Boats](boat-000.md) — the oldest one, and my favourite\n"
WORDS = "the pump of the jetty is switched by hand when the tide is above four metres"


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
    shown = truncate_index(index)
    return shown.lines, shown.bytes, len(dead)


def one_is_refused(setup: DreamSetup) -> list[Step]:
    index = (setup.memory / INDEX).read_text()
    longer = f"{index}- [Boat 7 again](boat-007.md) — password: hunter2-Tr0ub4dor\n"
    return [
        setup.read(INDEX, "boat-007.md"),
        [
            setup.write(INDEX, longer),
            setup.write(
                "boat-007.md",
                text("Boat 007", "project", "berth 7", "It is moored at 7. It is red."),
            ),
            setup.write(
                "boat-008.md", text("Boat 008", "project", "x", "password: hunter2-Tr0ub4dor")
            ),
        ],
        "Done.",
    ]


def test_a_refused_write_leaves_no_index_over_its_caps(setup: DreamSetup) -> None:
    print("before", state(setup))
    task = setup.sleep(*one_is_refused(setup))
    print("after", state(setup), task.notice)
    print(task.receipt)
    assert task.receipt.change
    assert state(setup)[2] == 0
