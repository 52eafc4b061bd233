from __future__ import annotations

import json
from collections.abc import Sequence
from random import Random
from typing import Any

from memlab.course import Case, case

_TORN = "the last line may be torn: what json.loads refuses is passed over"
_PAIR = "a call is closed by a tool_result whose tool_use_id is its id, wherever that stands"


def cases(random: Random) -> list[Case]:
    """Give transcripts that ended well, and ones that a kill cut off."""
    called = _line("assistant", _use("t1"), _use("t2"))
    some = [_line("user", "Look."), called]
    fixed = [
        ([], "an empty transcript has no calls"),
        (some, "calls in the last line have no result yet"),
        ([*some, _line("user", _done("t1"))], _PAIR),
        ([*some, _line("user", _done("t2"), _done("t1"))], _PAIR),
        ([*some, _line("user", _done("t1"))[:40]], _TORN),
        (
            [_line("user", "What is a tool_use? It has an id."), *some],
            "content may be plain text",
        ),
    ]
    found = [case((lines,), open_calls(lines), slip) for lines, slip in fixed]
    for _ in range(15):
        names = [
            f"t{n}" for n in random.sample(range(10, 99), random.randint(1, 4))
        ]
        answered = random.sample(names, random.randint(0, len(names)))
        lines = [
            _line("user", "Go on."),
            _line("assistant", "Yes.", *map(_use, names)),
        ]
        lines += [_line("user", *map(_done, answered))] if answered else []
        if random.random() < 0.5:
            lines.append(_line("user", "Next.")[: random.randint(1, 30)])
        found.append(case((lines,), open_calls(lines), f"{_PAIR}; {_TORN}"))
    return found


def open_calls(lines: Sequence[str]) -> list[str]:
    """List the ids of tool calls without a result, in the order of the calls."""
    calls: list[str] = []
    for line in lines:
        try:
            content = json.loads(line)["message"]["content"]
        except ValueError:
            continue
        for block in content if isinstance(content, list) else []:
            if block["type"] == "tool_use":
                calls.append(block["id"])
            elif block["type"] == "tool_result":
                calls.remove(block["tool_use_id"])
    return calls


def _line(role: str, *parts: str | dict[str, Any]) -> str:
    blocks = [
        {"type": "text", "text": one} if isinstance(one, str) else one
        for one in parts
    ]
    plain = len(parts) == 1 and isinstance(parts[0], str)
    content = parts[0] if plain else blocks
    return json.dumps(
        {"type": role, "message": {"role": role, "content": content}}
    )


def _use(call: str) -> dict[str, Any]:
    return {"type": "tool_use", "id": call, "name": "Read", "input": {}}


def _done(call: str) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": call, "content": "1"}
