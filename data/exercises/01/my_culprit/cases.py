from __future__ import annotations

from collections.abc import Sequence
from random import Random

from memlab.course import Case, case

Line = dict[str, str]


def _journal(random: Random) -> tuple[list[Line], str, str]:
    files = random.sample(("tabs.md", "ferry.md", "season.md", "board.md"), 3)
    lines: list[Line] = []
    for _ in range(random.randint(4, 9)):
        lines.append(
            _entry(
                lines, random, random.choice(("write", "write", "edit")), files
            )
        )
    victim = random.choice(files)
    lines.append(_entry(lines, random, "remove", [victim]))
    culprit = lines[-1]
    if random.random() < 0.5:
        lines.append(_entry(lines, random, "undo", [victim]))
        lines.append(_entry(lines, random, "remove", [victim]))
        culprit = lines[-1]
    rest = [file for file in files if file != victim]
    for _ in range(random.randint(0, 3)):
        lines.append(
            _entry(lines, random, random.choice(("write", "remove")), rest)
        )
    return lines, victim, f"{culprit['who']}, {culprit['id']}"


def _entry(
    lines: list[Line], random: Random, what: str, files: Sequence[str]
) -> Line:
    who = random.choice(("user", "main agent", "extractor", "dream"))
    number = f"change-{len(lines) + 1:04d}"
    return {
        "id": number,
        "who": who,
        "what": what,
        "file": random.choice(list(files)),
    }


def cases(random: Random) -> list[Case]:
    """Give journals in which one file was lost, or none."""
    found = [
        case(([], "tabs.md"), "nobody", "an empty journal has no culprit"),
        case(
            (
                [
                    {
                        "id": "change-0001",
                        "who": "user",
                        "what": "write",
                        "file": "tabs.md",
                    }
                ],
                "tabs.md",
            ),
            "nobody",
            "a file that was only written was not lost",
        ),
        case(
            (
                [
                    {
                        "id": "change-0001",
                        "who": "dream",
                        "what": "remove",
                        "file": "tabs.md",
                    },
                    {
                        "id": "change-0002",
                        "who": "user",
                        "what": "undo",
                        "file": "tabs.md",
                    },
                ],
                "tabs.md",
            ),
            "nobody",
            "what was undone is not lost",
        ),
    ]
    for _ in range(12):
        lines, victim, culprit = _journal(random)
        slip = "the last thing that happened to this very file decides"
        found.append(case((lines, victim), culprit, slip))
    return found
