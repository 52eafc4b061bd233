from __future__ import annotations

from random import Random
from typing import Any

from memlab.course import Case, case

Line = dict[str, Any]

NEWEST = "only the last recall entry of the log counts"
NO_RECALL = "a log without a recall entry says nothing about a memory"
ATTACHED = "a file under attached was attached"
REASON = "left_out lists files under their reason, and has only a number under 'not chosen'"
CHOOSER = "the by of the same recall entry says who chose"
FILES = (
    "tabs.md",
    "ferry.md",
    "season.md",
    "board.md",
    "radio.md",
    "stick.md",
    "tides.md",
)
REASONS = ("surfaced", "budget", "cap", "unreadable", "tool documentation")


def _recall(by: str, attached: list[str], left_out: dict[str, Any]) -> Line:
    sizes = {name: 500 + 10 * len(name) for name in attached}
    return {
        "event": "recall",
        "by": by,
        "attached": sizes,
        "left_out": left_out,
    }


def _select(by: str, chosen: list[str]) -> Line:
    line: Line = {"event": "select", "manifest": 7, "by": by}
    if by == "fallback":
        line["error"] = "OverloadedError 529"
    if chosen:
        line["chosen"] = chosen
    return line


def _turn(random: Random) -> list[Line]:
    """Make up what one recall logs."""
    files = random.sample(FILES, len(FILES))
    attached = files[: random.randint(0, 3)]
    rest = files[len(attached) :]
    by = random.choice(("model", "fallback"))
    left_out: dict[str, Any] = {}
    for reason in random.sample(REASONS, random.randint(0, 3)):
        left_out[reason] = [rest.pop()]
    left_out["not chosen"] = len(rest)
    return [_select(by, attached), _recall(by, attached, left_out)]


def _answer(log: list[Line], file: str) -> str:
    newest = [line for line in log if line["event"] == "recall"][-1:]
    for line in newest:
        if file in line["attached"]:
            return "attached"
        for reason, files in line["left_out"].items():
            if isinstance(files, list) and file in files:
                return str(reason)
        return f"not chosen by {line['by']}"
    return "no recall"


def cases(random: Random) -> list[Case]:
    select = _select("fallback", ["a.md"])
    first = _recall("fallback", ["a.md"], {"not chosen": 7})
    second = _recall("model", [], {"surfaced": ["a.md"], "not chosen": 6})
    turn: Line = {"event": "turn", "calls": 2}
    found = [
        case(([], "a.md"), "no recall", NO_RECALL),
        case(([select, turn], "a.md"), "no recall", NO_RECALL),
        case(([select, first], "a.md"), "attached", ATTACHED),
        case(([select, first], "b.md"), "not chosen by fallback", CHOOSER),
        case(([first, second], "a.md"), "surfaced", NEWEST),
        case(([second, first, turn], "a.md"), "attached", NEWEST),
        case(([first, second], "b.md"), "not chosen by model", CHOOSER),
        case(
            ([_recall("model", [], {"cap": ["a.md"], "budget": ["b.md"]})],
             "b.md"),
            "budget",
            REASON,
        ),
        case(
            ([_recall("model", [], {"not chosen": 3, "surfaced": ["a.md"]})],
             "a.md"),
            "surfaced",
            REASON,
        ),
        case(([first, _select("model", [])], "b.md"),
             "not chosen by fallback", CHOOSER),
        case(([_recall("model", ["a.md"], {})], "b.md"),
             "not chosen by model", REASON),
        case(
            ([_recall("model", [], {"surfaced": ["old-a.md"]})], "a.md"),
            "not chosen by model",
            REASON,
        ),
    ]  # fmt: skip
    for _ in range(15):
        log = [
            line for _ in range(random.randint(1, 3)) for line in _turn(random)
        ]
        file = random.choice(FILES)
        rules = f"{NEWEST}; {ATTACHED}; {REASON}; {CHOOSER}"
        found.append(case((log, file), _answer(log, file), rules))
    return found
