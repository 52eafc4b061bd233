from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from memlab.course import Case, case, fork_request

_MARK = {"cache_control": {"type": "ephemeral"}}
_MARKS = (
    "the marks of the parent's messages go, and the prompt has the only one"
)
_WHOLE = "a fork carries the whole conversation, and the answer stands before the prompt"
_SAME = "model, max_tokens, system and tools stay as they are: each is part of the prefix"


def cases(random: Random) -> list[Case]:
    """Give parents with and without marks, answers and earlier turns."""
    said = _text("Prices in pence.")
    marked = [{"role": "user", "content": [_text("Hello.", **_MARK)]}]
    talk: list[dict[str, Any]] = [
        {"role": "user", "content": "Hello."},
        {"role": "assistant", "content": [_text("Hello.")]},
        {
            "role": "user",
            "content": [_text("Prices?"), _text("In pence.", **_MARK)],
        },
    ]
    fixed: list[tuple[dict[str, Any], list[Any], str, str]] = [
        (_request([]), [], "Go.", _WHOLE),
        (_request(marked), [said], "Go.", _MARKS),
        (_request(talk), [said], "Note the decision.", _WHOLE),
        (_request(talk, tools=3), [said], "Note the decision.", _SAME),
    ]
    for _ in range(8):
        turns = random.randint(1, 4)
        messages: list[dict[str, Any]] = []
        for number in range(turns):
            mark = (
                _MARK if number == turns - 1 or random.random() < 0.3 else {}
            )
            messages.append(
                {
                    "role": "user",
                    "content": [_text(f"Question {number}.", **mark)],
                }
            )
            messages.append(
                {"role": "assistant", "content": [_text(f"Answer {number}.")]}
            )
        prompt = random.choice(("Note it.", "What counts?", "Look back."))
        request = _request(messages[:-1], tools=random.randint(1, 4))
        fixed.append((request, [said], prompt, f"{_WHOLE}; {_MARKS}; {_SAME}"))
    return [
        case(
            (parent, answer, prompt),
            fork_request(parent, answer, prompt),
            slip,
        )
        for parent, answer, prompt, slip in fixed
    ]


def _request(
    messages: Sequence[Mapping[str, Any]], tools: int = 2
) -> dict[str, Any]:
    names = ("Read", "Grep", "Glob", "Bash", "Edit")[:tools]
    return {
        "model": "m",
        "max_tokens": 1000,
        "system": [_text("You are an agent.", **_MARK)],
        "tools": [{"name": name, "description": f"{name}."} for name in names],
        "messages": list(messages),
    }


def _text(text: str, **more: Any) -> dict[str, Any]:
    return {"type": "text", "text": text, **more}
