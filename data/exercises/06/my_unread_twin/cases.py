from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from random import Random
from typing import Any

from memlab.clock import STORY_START
from memlab.course import Case

_MARK = {"cache_control": {"type": "ephemeral"}}
_TWIN = "the same tools, words and marks; only an order may differ that no reader minds"


def cases(random: Random) -> list[Case]:
    """Give requests that are in the cache; the result may not find itself there."""
    found = []
    for _ in range(8):
        talk = [
            {
                "role": "user",
                "content": [_text("The tide turns. " * 400, **_MARK)],
            }
        ]
        request = _request(talk, tools=random.randint(2, 5))
        fits = partial(_is_unread_twin, request)
        wanted = "a request with the same tools and words of which no tokens are read"
        found.append(Case((request,), wanted, fits, _TWIN))
    return found


def _is_unread_twin(
    request: Mapping[str, Any], twin: Mapping[str, Any]
) -> bool:
    from memlab.models import PromptCache  # loads the SDK's own HTTP library

    cache = PromptCache()
    cache.keep(request, STORY_START, "first")
    try:
        same_tools = sorted(map(repr, twin["tools"])) == sorted(
            map(repr, request["tools"])
        )
        rest = {**twin, "tools": 0} == {**request, "tools": 0}
        return (
            same_tools and rest and cache.account(twin, STORY_START).read == 0
        )
    except (AttributeError, KeyError, TypeError, ValueError):
        return False


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
