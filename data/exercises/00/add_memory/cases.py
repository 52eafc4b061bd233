from random import Random
from typing import Any

from memlab.course.exercise import Case, case

NEWEST = "only the newest message gets the block"
ORDER = "the block comes before the person's words"
EMPTY = "without a block, nothing changes"
WORDS = (
    "Hello",
    "Which quotes?",
    "Thanks",
    "Write the helper.",
    "And the board?",
    "",
)


def run(mine: Any, messages: list[dict[str, Any]], block: str) -> Any:
    """Call the function; it has to return another list."""
    result = mine(messages, block)
    if result is messages:
        return [*result, "this is the list that was passed in"]
    return result


def cases(random: Random) -> list[Case]:
    talk = [_said("user", "Hello"), _said("assistant", "Hi!")]
    found = [
        _case([*talk, _said("user", "Which quotes?")], "BLOCK", ORDER),
        _case([_said("user", "Which quotes?")], "BLOCK", ORDER),
        case(([*talk, talk[0]], ""), [*talk, talk[0]], EMPTY),
        _case([*talk, *talk, talk[0]], "BLOCK", NEWEST),
    ]
    for _ in range(10):
        count = random.randint(0, 4)
        messages = []
        for number in range(2 * count + 1):
            role = "assistant" if number % 2 else "user"
            messages.append(_said(role, random.choice(WORDS)))
        block = random.choice(("<memory>\ntabs\n</memory>", "Tabs.", "x\n"))
        found.append(_case(messages, block, f"{NEWEST}; {ORDER}"))
    return found


def _said(role: str, words: str) -> dict[str, Any]:
    return {"role": role, "content": words}


def _case(messages: list[dict[str, Any]], block: str, rule: str) -> Case:
    words = messages[-1]["content"]
    content = [
        {"type": "text", "text": block},
        {"type": "text", "text": words},
    ]
    expected = [*messages[:-1], {"role": "user", "content": content}]
    return case((messages, block), expected, rule)
