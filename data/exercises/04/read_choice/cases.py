import json
from random import Random
from typing import Any

from memlab.course.exercise import Case, case

AROUND = "a model may write something before and after the object"
WRONG = "an answer that cannot be used raises ValueError"
RAISED = ["raises ValueError"]


def run(mine: Any, answer: str) -> Any:
    """Call the function; a ValueError becomes a result."""
    try:
        return mine(answer)
    except ValueError:
        return RAISED


def cases(random: Random) -> list[Case]:
    found = [
        case(
            ('{"selected_memories": ["tabs.md", " ferry.md"]}',),
            ["tabs.md", "ferry.md"],
            "names have no white space around them",
        ),
        case(('Here you are: {"selected_memories": []}',), [], AROUND),
        case(
            ('```json\n{"selected_memories": ["a.md"]}\n```',),
            ["a.md"],
            AROUND,
        ),
        case(("I would not attach any.",), RAISED, WRONG),
        case(('{"memories": ["a.md"]}',), RAISED, WRONG),
        case(('{"selected_memories": "a.md"}',), RAISED, WRONG),
        case(('{"selected_memories": ["a.md"',), RAISED, WRONG),
        case(("",), RAISED, WRONG),
    ]
    for _ in range(6):
        names = [
            f"m{random.randint(1, 99)}.md" for _ in range(random.randint(1, 5))
        ]
        text = json.dumps({"selected_memories": names})
        before = random.choice(("", "Sure. ", "\n"))
        after = random.choice(("", " Done.", "\n"))
        found.append(case((before + text + after,), names, AROUND))
    return found
