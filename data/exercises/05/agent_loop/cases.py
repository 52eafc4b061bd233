"""Conversations with a model that follows a plan, and tools that can fail."""

from __future__ import annotations

from random import Random
from typing import Any

from memlab.course import Case, ScriptedModel, agent_loop, case, message_lines

FILES = ("board.py", "boats.py", "tides.py", "cli.py", "db.py")
TIDES = {"2026-04-01": "high water at 10:32", "2026-04-02": "no high water"}

READ = ("Read", {"file": "board.py"})
MISSING = ("Read", {"file": "gone.py"})
TIDE = ("Tide", {"date": "2026-04-01"})
NO_TIDE = ("Tide", {"date": "2026-02-30"})
EMPTY = ("Empty", {})
BROKEN = ("Broken", {})
FLY = ("Fly", {"to": "Brannay"})

ORDER = "One message has the results of all calls of an answer, in their order"
UNKNOWN = "A tool that does not exist gives the result 'no tool NAME'"
RAISED = "A tool that raised gives its exception as the result: 'TYPE: TEXT'"
LOOKUP = (
    "A tool that raises KeyError does exist: look its name up before you run"
    " it"
)
LIMIT = (
    "The loop ends after max_turns answers, and the last calls have results"
)
GOES_ON = "After an error result, the turn continues"
ZERO = "If max_turns is 0, the model is not asked at all"
WHOLE = "The whole answer belongs in the conversation, texts and calls"
BEFORE = "What was said before stays at the beginning"


def read(given: dict[str, str]) -> str:
    """Return the text of a file, if it exists."""
    if given["file"] not in FILES:
        raise FileNotFoundError(f"{given['file']} does not exist")
    return f"text of {given['file']}"


def tide(given: dict[str, str]) -> str:
    """Look a day up in the tide table; raises KeyError for other days."""
    return TIDES[given["date"]]


def broken(given: dict[str, str]) -> str:
    """Fail in a way that no list of exceptions contains."""
    raise RuntimeError("the printer is jammed")


def empty(given: dict[str, str]) -> str:
    """Return an empty text."""
    return ""


TOOLS = {"Read": read, "Tide": tide, "Empty": empty, "Broken": broken}


def cases(random: Random) -> list[Case]:
    """Turns with no call, one and several; with errors; and without an end."""
    fixed: list[tuple[list[Any], int, str]] = [
        (["Hello."], 5, WHOLE),
        ([[READ], "It says: {}"], 5, ORDER),
        ([["I'll look.", READ], "It says: {}"], 5, WHOLE),
        ([[READ, TIDE], "Both: {}"], 5, ORDER),
        ([[READ, READ], "Both: {}"], 5, ORDER),
        ([[READ], [TIDE], "Then: {}"], 5, "After the results, ask again"),
        ([[FLY], "So: {}"], 5, f"{UNKNOWN}; {GOES_ON}"),
        ([[FLY, READ], "So: {}"], 5, f"{UNKNOWN}; {ORDER}"),
        ([[MISSING, READ], "So: {}"], 5, RAISED),
        ([[NO_TIDE], "So: {}"], 5, f"{RAISED}; {LOOKUP}"),
        ([[NO_TIDE, FLY, TIDE], "So: {}"], 5, f"{RAISED}; {UNKNOWN}"),
        ([[BROKEN], "So: {}"], 5, RAISED),
        ([[EMPTY], "So: {}"], 5, "An empty text is a result, not an error"),
        ([[READ]], 3, LIMIT),
        ([[READ], "Done."], 1, LIMIT),
        ([[READ], "Done."], 2, LIMIT),
        (["Hello."], 0, ZERO),
    ]
    found = [_case(steps, most, slip) for steps, most, slip in fixed]
    earlier = [
        {"role": "user", "content": "Good morning."},
        {"role": "assistant", "content": [{"type": "text", "text": "Hi."}]},
    ]
    found.append(_case([[READ], "It says: {}"], 5, BEFORE, earlier))
    for _ in range(14):
        rounds = []
        for _ in range(random.randint(1, 4)):
            calls = (READ, MISSING, TIDE, NO_TIDE, EMPTY, BROKEN, FLY)
            chosen = random.choices(calls, k=random.randint(1, 3))
            words = ["I'll look."] if random.random() < 0.5 else []
            rounds.append([*words, *chosen])
        slip = f"{ORDER}; {UNKNOWN}; {RAISED}; {LIMIT}"
        found.append(_case([*rounds, "So: {}"], random.randint(1, 5), slip))
    return found


def _case(
    steps: list[Any], most: int, slip: str, earlier: list[Any] | None = None
) -> Case:
    model = ScriptedModel(
        tuple(tuple(one) if isinstance(one, list) else one for one in steps)
    )
    before = len(earlier or []) // 2
    model = ScriptedModel(model.steps, before)
    question = {"role": "user", "content": "Look at it."}
    arguments = (model, TOOLS, [*(earlier or []), question], most)
    return case(
        arguments,
        agent_loop(*arguments),
        slip,
        call=f"ask answers {model.plan}; max_turns={most}",
        lines=_lines,
    )


def _lines(found: list[Any]) -> list[str]:
    if all(isinstance(one, dict) and "role" in one for one in found):
        return message_lines(found)
    return [f"{one}, which is not a message" for one in found]


def run(
    mine: Any, ask: Any, tools: Any, messages: list[Any], most: int
) -> Any:
    """Call the loop; ``is_error: False`` says the same as no such key."""
    found = mine(ask, tools, messages, most)
    if not isinstance(found, list):
        return found
    return [_without_false_errors(message) for message in found]


def _without_false_errors(message: Any) -> Any:
    content = message.get("content") if isinstance(message, dict) else None
    if not isinstance(content, list):
        return message
    blocks = []
    for block in content:
        if isinstance(block, dict) and block.get("is_error") is False:
            block = {key: block[key] for key in block if key != "is_error"}
        blocks.append(block)
    return {**message, "content": blocks}
