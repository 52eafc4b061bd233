"""Transcripts that ended well, and some that a crash cut off."""

from __future__ import annotations

import json
from random import Random
from typing import Any

from memlab.course import Case, case

TORN = "The last line may be cut off, and what json.loads refuses is ignored"
PAIR = "A call is closed by a result with its id, wherever that result is"
TEXT = "The content of a message may be a text"
STATE = "A line without a message has no calls"
ERROR = "A result that is marked as an error closes its call, too"
EXACT = "The id of a result has to be equal to the id of the call"
ORDER = "The ids are in the order of the calls"
OLD = "An open call may be anywhere in the transcript, not only at the end"


def cases(random: Random) -> list[Case]:
    """Make the fixed transcripts, and some at random."""
    question = _line("user", "Look.")
    called = _line("assistant", _call("t1"), _call("t2"))
    state = json.dumps({"type": "state", "state": {"mode": "full"}})
    fixed = [
        ([], "An empty transcript has no calls"),
        ([question, called], f"{PAIR}; {ORDER}; {TEXT}"),
        ([question, called, _line("user", _result("t1"))], PAIR),
        ([question, called, _line("user", _result("t2"))], PAIR),
        (
            [question, called, _line("user", _result("t2"), _result("t1"))],
            PAIR,
        ),
        ([question, called, _line("user", _result("t1"))[:-20]], TORN),
        ([question, called, "{"], TORN),
        ([_line("user", "What is a tool_use with an id?"), called], TEXT),
        ([state, question, called, state], STATE),
        (
            [called, _line("user", _result("t2")), _line("user", "Next.")],
            OLD,
        ),
        (
            [
                _line("assistant", _call("t10"), _call("t9")),
                _line("user", _result("t10")),
                _line("user", "Go on."),
                _line("assistant", "I'll look.", _call("t8")),
            ],
            f"{OLD}; {ORDER}",
        ),
    ]
    failed = {**_result("t1"), "content": "gone", "is_error": True}
    fixed += [
        ([question, called, state, _line("user", _result("t1"))], PAIR),
        ([question, called, _line("user", failed, _result("t2"))], ERROR),
        (
            [
                _line("assistant", _call("t1"), _call("t10")),
                _line("user", _result("t10")),
            ],
            EXACT,
        ),
    ]
    found = [_case(lines, slip) for lines, slip in fixed]
    for _ in range(15):
        lines = [_line("user", "Go on.")]
        numbers = random.sample(range(1, 200), 12)
        for _ in range(random.randint(1, 3)):
            names = [f"t{numbers.pop()}" for _ in range(random.randint(1, 4))]
            answered = random.sample(names, random.randint(0, len(names)))
            said = ["Yes."] if random.random() < 0.5 else []
            lines.append(_line("assistant", *said, *map(_call, names)))
            if answered:
                lines.append(_line("user", *map(_result, answered)))
            if random.random() < 0.3:
                lines.append(state)
        if random.random() < 0.5:
            lines.append(_line("user", "Next.")[: random.randint(1, 30)])
        found.append(_case(lines, f"{PAIR}; {TORN}; {STATE}; {OLD}"))
    return found


def _case(lines: list[str], slip: str) -> Case:
    calls: list[str] = []
    answered: list[str] = []
    for line in lines:
        try:
            content = json.loads(line)["message"]["content"]
        except (ValueError, KeyError):
            continue
        for block in content if isinstance(content, list) else []:
            if block["type"] == "tool_use":
                calls.append(block["id"])
            elif block["type"] == "tool_result":
                answered.append(block["tool_use_id"])
    expected = [call for call in calls if call not in answered]
    return case((lines,), expected, slip)


def _line(role: str, *parts: str | dict[str, Any]) -> str:
    blocks = [
        {"type": "text", "text": part} if isinstance(part, str) else part
        for part in parts
    ]
    plain = len(parts) == 1 and isinstance(parts[0], str)
    content = parts[0] if plain else blocks
    return json.dumps(
        {"type": role, "message": {"role": role, "content": content}}
    )


def _call(call: str) -> dict[str, Any]:
    return {"type": "tool_use", "id": call, "name": "Read", "input": {}}


def _result(call: str) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": call, "content": "1"}
