"""The cases of notebook 06's exercises: requests to fork and to break, and bills to read.

Left out: what the exercises say, which stands in ``nb06``.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from memlab.clock import STORY_START
from memlab.course.exercise import Case, case

_MARK = {"cache_control": {"type": "ephemeral"}}
_MARKS = "the marks of the parent's messages go, and the prompt has the only one"
_WHOLE = "a fork carries the whole conversation, and the answer stands before the prompt"
_SAME = "model, max_tokens, system and tools stay as they are: each is part of the prefix"
_TWIN = "the same tools, words and marks; only an order may differ that no reader minds"
_SUM = "what the call before had read and created together is what could be read"
_CAUSE = "more than 5 minutes mean expired, anything else changed"


def fork_request(parent: Mapping[str, Any], answer: list[Any], prompt: str) -> dict[str, Any]:
    """Build a fork's request: the parent's, its answer, and the prompt with the only mark."""
    messages = [_unmarked(message) for message in parent["messages"]]
    messages += [{"role": "assistant", "content": answer}] if answer else []
    messages.append({"role": "user", "content": [{"type": "text", "text": prompt, **_MARK}]})
    return {**parent, "messages": messages}


def _unmarked(message: Mapping[str, Any]) -> Mapping[str, Any]:
    if isinstance(message["content"], str):
        return message
    blocks = [
        {key: value for key, value in block.items() if key != "cache_control"}
        for block in message["content"]
    ]
    return {**message, "content": blocks}


def request_cases(chance: random.Random) -> Sequence[Case]:
    """Give parents with and without marks, answers and earlier turns."""
    said = _text("Prices in pence.")
    marked = [{"role": "user", "content": [_text("Hello.", **_MARK)]}]
    talk: list[dict[str, Any]] = [
        {"role": "user", "content": "Hello."},
        {"role": "assistant", "content": [_text("Hello.")]},
        {"role": "user", "content": [_text("Prices?"), _text("In pence.", **_MARK)]},
    ]
    fixed: list[tuple[dict[str, Any], list[Any], str, str]] = [
        (_request([]), [], "Go.", _WHOLE),
        (_request(marked), [said], "Go.", _MARKS),
        (_request(talk), [said], "Note the decision.", _WHOLE),
        (_request(talk, tools=3), [said], "Note the decision.", _SAME),
    ]
    for _ in range(8):
        turns = chance.randint(1, 4)
        messages: list[dict[str, Any]] = []
        for number in range(turns):
            mark = _MARK if number == turns - 1 or chance.random() < 0.3 else {}
            messages.append({"role": "user", "content": [_text(f"Question {number}.", **mark)]})
            messages.append({"role": "assistant", "content": [_text(f"Answer {number}.")]})
        prompt = chance.choice(("Note it.", "What counts?", "Look back."))
        request = _request(messages[:-1], tools=chance.randint(1, 4))
        fixed.append((request, [said], prompt, f"{_WHOLE}; {_MARKS}; {_SAME}"))
    return [
        case((parent, answer, prompt), fork_request(parent, answer, prompt), slip)
        for parent, answer, prompt, slip in fixed
    ]


def breaker_cases(chance: random.Random) -> Sequence[Case]:
    """Give requests that are in the cache; the result may not find itself there."""
    cases = []
    for _ in range(8):
        talk = [{"role": "user", "content": [_text("The tide turns. " * 400, **_MARK)]}]
        request = _request(talk, tools=chance.randint(2, 5))
        fits = partial(_is_unread_twin, request)
        wanted = "a request with the same tools and words of which no tokens are read"
        cases.append(Case((request,), wanted, fits, _TWIN))
    return cases


def _is_unread_twin(request: Mapping[str, Any], twin: Mapping[str, Any]) -> bool:
    from memlab.models.cache import PromptCache  # loads the SDK's own HTTP library

    cache = PromptCache()
    cache.keep(request, STORY_START, "first")
    try:
        same_tools = sorted(map(repr, twin["tools"])) == sorted(map(repr, request["tools"]))
        rest = {**twin, "tools": 0} == {**request, "tools": 0}
        return same_tools and rest and cache.account(twin, STORY_START).read == 0
    except (AttributeError, KeyError, TypeError, ValueError):
        return False


def bill_cases(chance: random.Random) -> Sequence[Case]:
    """Give bills: whole ones, one that was slow, one whose prefix changed, and mixtures."""
    fixed = [
        ([], _SUM),
        ([_call(0, 0, 2000), _call(1, 2000, 90)], _SUM),
        ([_call(0, 0, 2000), _call(1, 2000, 90), _call(2, 2000, 180)], _SUM),
        ([_call(0, 0, 2000), _call(5, 0, 2100)], _CAUSE),
        ([_call(0, 0, 2000), _call(6, 0, 2100)], _CAUSE),
        ([_call(0, 0, 2000), _call(9, 2000, 90), _call(10, 700, 1500)], _CAUSE),
    ]
    for _ in range(12):
        minute, held, calls = 0, 0, []
        for _ in range(chance.randint(2, 7)):
            minute += chance.choice((1, 2, 4, 5, 6, 9))
            read = chance.choice((held, held, 0, held // 2))
            calls.append(_call(minute, read, chance.randint(50, 900) + held - read))
            held = calls[-1]["read"] + calls[-1]["created"]
        fixed.append((calls, f"{_SUM}; {_CAUSE}"))
    return [case((calls,), misses(calls), slip) for calls, slip in fixed]


def misses(calls: Sequence[Mapping[str, int]]) -> list[str]:
    """Name the calls that read less than the cache held, with the likely cause."""
    found = []
    for number in range(1, len(calls)):
        before, call = calls[number - 1], calls[number]
        if call["read"] < before["read"] + before["created"]:
            late = call["minute"] - before["minute"] > 5
            found.append(f"{number + 1} {'expired' if late else 'changed'}")
    return found


def _request(messages: Sequence[Mapping[str, Any]], tools: int = 2) -> dict[str, Any]:
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


def _call(minute: int, read: int, created: int) -> dict[str, int]:
    return {"minute": minute, "read": read, "created": created}
