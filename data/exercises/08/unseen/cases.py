from __future__ import annotations

from random import Random
from typing import Any

from memlab.course.exercise import Case, case

FAILED = (
    "messages of a failed run count as unseen only if no entry processes them"
)
SKIPPED = "the cursor moves past skipped messages, so they are processed"
THROTTLE = "with the reason throttle, skipped messages are left for later"
EXTRACTED = "an extracted entry processes its own messages, and no others"
MENTIONED = "only messages that an entry mentions can be unseen"
SORTED = "the numbers are in ascending order, each once"
ONLY_SKIP = "only a skip has the exception for throttle"
LAST = "the last message of an entry belongs to it"
STASHED = "a stashed or started entry processes nothing"
OTHER = "an entry with any other name processes nothing"
ORDER = "the order of the entries makes no difference"
NAMES = (
    "extracted",
    "extract_failed",
    "extract_skipped",
    "extract_stashed",
    "extract_started",
)


def entry(
    name: str, first: int, last: int, reason: str = ""
) -> dict[str, Any]:
    return {"name": name, "first": first, "last": last, "reason": reason}


def cases(random: Random) -> list[Case]:
    fixed: list[tuple[list[dict[str, Any]], list[int], str]] = [
        ([], [], "the log may be empty"),
        ([entry("extracted", 1, 3)], [], EXTRACTED),
        ([entry("extract_failed", 1, 3, "529")], [1, 2, 3], LAST),
        (
            [entry("extract_failed", 1, 3), entry("extracted", 1, 6)],
            [],
            FAILED,
        ),
        (
            [entry("extracted", 1, 3), entry("extract_failed", 4, 6)],
            [4, 5, 6],
            EXTRACTED,
        ),
        ([entry("extracted", 1, 6), entry("extract_failed", 2, 3)], [], ORDER),
        ([entry("extract_skipped", 1, 3, "direct write")], [], SKIPPED),
        ([entry("extract_skipped", 1, 3, "nothing said")], [], SKIPPED),
        ([entry("extract_skipped", 1, 3, "throttle")], [1, 2, 3], THROTTLE),
        (
            [
                entry("extract_skipped", 1, 2, "throttle"),
                entry("extracted", 1, 4),
            ],
            [],
            ORDER,
        ),
        (
            [entry("extract_stashed", 3, 4), entry("extracted", 1, 2)],
            [3, 4],
            STASHED,
        ),
        ([entry("extract_started", 5, 5)], [5], STASHED),
        ([entry("extract_offered", 2, 3)], [2, 3], OTHER),
        (
            [entry("extracted", 1, 2, "throttle")],
            [],
            ONLY_SKIP,
        ),
        (
            [entry("extract_failed", 7, 9), entry("extract_failed", 2, 8)],
            [2, 3, 4, 5, 6, 7, 8, 9],
            SORTED,
        ),
        (
            [entry("extract_failed", 1, 2), entry("extract_failed", 5, 6)],
            [1, 2, 5, 6],
            MENTIONED,
        ),
        (
            [
                entry("extract_failed", 1, 9),
                entry("extracted", 7, 9),
                entry("extracted", 1, 3),
            ],
            [4, 5, 6],
            EXTRACTED,
        ),
        (
            [entry("extract_failed", 10, 12), entry("extracted", 9, 11)],
            [12],
            LAST,
        ),
    ]
    found = [case((log,), wanted, slip) for log, wanted, slip in fixed]
    for _ in range(14):
        log = []
        for _ in range(random.randint(2, 7)):
            first = random.randint(1, 14)
            name = random.choice(NAMES)
            reason = ""
            if name == "extract_skipped":
                reason = random.choice(("throttle", "direct write", "off"))
            log.append(
                entry(name, first, first + random.randint(0, 4), reason)
            )
        rules = f"{FAILED}; {SKIPPED}; {LAST}; {STASHED}; {ORDER}"
        found.append(case((log,), _reference(log), rules))
    return found


def _reference(log: list[dict[str, Any]]) -> list[int]:
    """Look at each number on its own."""
    wanted = []
    for number in range(1, 25):
        about = [one for one in log if one["first"] <= number <= one["last"]]
        done = [
            one
            for one in about
            if one["name"] == "extracted"
            or (
                one["name"] == "extract_skipped"
                and one["reason"] in ("direct write", "off")
            )
        ]
        if about and not done:
            wanted.append(number)
    return wanted
