from __future__ import annotations

from random import Random
from typing import Any

from memlab.course import Case, ScriptedModel, Tools, agent_loop, case

_FILES = (
    "board.py",
    "boats.py",
    "tides.py",
    "cli.py",
    "db.py",
    "times.py",
    "bookings.py",
)
_ORDER = "one result a call, in the order of the calls, all in one ('user', results)"
_ERRORS = "what goes wrong is a result too: 'error: …', and the model reads it"
_LIMIT = "after max_turns answers stop, with the results of the last calls still in place"
_ANSWER = "a text ends the loop, and stands in the conversation as ('assistant', text)"


def read(name: str) -> str:
    """A tool: the text of a file, which it has for some names only."""
    if name not in _FILES:
        raise FileNotFoundError(f"{name} does not exist")
    return f"text of {name}"


def count(name: str) -> str:
    """A tool: how long a name is."""
    return str(len(name))


def cases(random: Random) -> list[Case]:
    """Give conversations to lead: none, one and several calls, errors, and no end."""
    tools = {"Read": read, "Count": count}
    one, two = ("Read", "board.py"), ("Count", "tide")
    fixed: list[tuple[tuple[Any, ...], int, str]] = [
        (("Hello.",), 5, _ANSWER),
        (([one], "It says: {}"), 5, _ANSWER),
        (([one, two], "Both: {}"), 5, _ORDER),
        (
            ([one], [two], "Then: {}"),
            5,
            "ask again after every round of tools",
        ),
        (([("Fly", "home"), two], "So: {}"), 5, _ERRORS),
        (([("Read", "gone.py"), one], "So: {}"), 5, _ERRORS),
        (([one],), 3, _LIMIT),
        (([one], "Done."), 1, _LIMIT),
    ]
    found = [
        _loop_case(steps, tools, most, slip) for steps, most, slip in fixed
    ]
    for _ in range(12):
        rounds = [
            [
                (
                    random.choice(("Read", "Count", "Fly")),
                    random.choice((*_FILES, "gone.py")),
                )
                for _ in range(random.randint(1, 3))
            ]
            for _ in range(random.randint(1, 3))
        ]
        found.append(
            _loop_case(
                (*rounds, "I saw {}"),
                tools,
                random.randint(1, 5),
                f"{_ORDER}; {_ERRORS}",
            )
        )
    return found


def _loop_case(
    steps: tuple[Any, ...], tools: Tools, most: int, slip: str
) -> Case:
    model = ScriptedModel(
        tuple(tuple(s) if isinstance(s, list) else s for s in steps)
    )
    arguments = (model, tools, "Look at it.", most)
    return case(arguments, agent_loop(*arguments), slip)
