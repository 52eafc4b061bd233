from collections.abc import Callable
from copy import deepcopy
from random import Random
from typing import Any

from memlab.course.exercise import Case, case
from memlab.course.messages import value_lines

PASSED_IN = "(the list that was passed in)"
NEW_LIST = (
    "The result is the list that was passed in. Return a new list, even if the"
    " block is empty"
)
EARLIER = "All messages before the newest one should stay as they are"
EMPTY = (
    "If the block is empty, the content of the newest message stays a string"
)
ORDER = "The block comes first, and then the person's words"
ONLY_CONTENT = "Only the content of the newest message should be different"
TWO_PARTS = "The content of the newest message should be a list of two parts"
WORDS = (
    "Hello",
    "Which quotes?",
    "Thanks",
    "  Write the helper.\n",
    "And the board?",
    "",
)
BLOCKS = ("<memory>\ntabs\n</memory>", "Tabs.", "x\n")


def run(mine: Any, messages: list[dict[str, Any]], block: str) -> Any:
    """Call the function; a list that is not a new one gets a remark."""
    result = mine(messages, block)
    if result is messages:
        return [*result, PASSED_IN]
    return result


def cases(random: Random) -> list[Case]:
    talk = [_said("user", "Hello"), _said("assistant", "Hi!")]
    parts = [{"type": "text", "text": "Hello"}]
    found = [
        _case([*talk, _said("user", "Which quotes?")], "BLOCK"),
        _case([_said("user", "Which quotes?")], "BLOCK"),
        _case([*talk, talk[0]], ""),
        _case([_said("user", "Which quotes?")], ""),
        _case([*talk, *talk, talk[0]], "BLOCK"),
        _case([{"role": "user", "content": "Hi", "id": 7}], "BLOCK"),
        _case([_said("user", parts), talk[1], talk[0]], "BLOCK"),
        _case([_said("system", "Be brief."), talk[0]], "BLOCK"),
        _case([_said("user", "BLOCK"), talk[1], talk[0]], "BLOCK"),
        _case([*talk, _said("user", "")], "BLOCK"),
    ]
    for _ in range(10):
        count = random.randint(0, 4)
        messages = []
        for number in range(2 * count + 1):
            role = "assistant" if number % 2 else "user"
            messages.append(_said(role, random.choice(WORDS)))
        found.append(_case(messages, random.choice(BLOCKS)))
    return found


def _said(role: str, content: Any) -> dict[str, Any]:
    return {"role": role, "content": content}


def _case(said: list[dict[str, Any]], block: str) -> Case:
    """Make a case in which every message is a separate dict."""
    messages = [deepcopy(message) for message in said]
    expected = list(messages)
    if block:
        content = [
            {"type": "text", "text": block},
            {"type": "text", "text": messages[-1]["content"]},
        ]
        expected[-1] = {**messages[-1], "content": content}
    return case(
        (messages, block), expected, _explain(expected, block), lines=_lines
    )


def _lines(result: list[Any]) -> list[str]:
    if result[-1:] == [PASSED_IN]:
        return [*value_lines(result[:-1]), PASSED_IN]
    return value_lines(result)


def _explain(
    expected: list[dict[str, Any]], block: str
) -> Callable[[Any], str]:
    def explain(result: Any) -> str:
        if result[-1:] == [PASSED_IN]:
            return NEW_LIST
        if result[:-1] != expected[:-1]:
            return EARLIER
        if not block:
            return EMPTY
        newest = result[-1]
        if not isinstance(newest, dict):
            return ""
        if {**newest, "content": ""} != {**expected[-1], "content": ""}:
            return ONLY_CONTENT
        content = newest.get("content")
        if not isinstance(content, list) or len(content) != 2:
            return TWO_PARTS
        if content[::-1] == expected[-1]["content"]:
            return ORDER
        return ""

    return explain
