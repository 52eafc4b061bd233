import json
from random import Random
from typing import Any

from memlab.course.exercise import Case, case

AROUND = "text before the first { and after the last } is ignored"
WRONG = "an answer that cannot be used raises ValueError"
SPACE = "names have no white space around them"
AS_IT_IS = "the names are not changed, checked or counted here"
RAISED = ["raises ValueError"]


def run(mine: Any, answer: str) -> Any:
    """Call the function; a ValueError becomes a result."""
    try:
        return mine(answer)
    except ValueError:
        return RAISED


def cases(random: Random) -> list[Case]:
    pretty = json.dumps({"selected_memories": ["a.md", "b.md"]}, indent=2)
    more = {"why": ["it fits"], "selected_memories": ["a.md"], "n": {"of": 1}}
    seven = [f"m{number}.md" for number in range(7)]
    found = [
        case(
            ('{"selected_memories": ["tabs.md", " ferry.md"]}',),
            ["tabs.md", "ferry.md"],
            SPACE,
        ),
        case(('{"selected_memories": ["tabs.md\\n"]}',), ["tabs.md"], SPACE),
        case(('Here you are: {"selected_memories": []}',), [], AROUND),
        case(
            ('```json\n{"selected_memories": ["a.md"]}\n```',),
            ["a.md"],
            AROUND,
        ),
        case((f"My choice:\n{pretty}\nDone.",), ["a.md", "b.md"], AROUND),
        case((json.dumps(more),), ["a.md"], AROUND),
        case(
            (json.dumps({"selected_memories": seven}),),
            seven,
            AS_IT_IS,
        ),
        case(
            ('{"selected_memories": ["../x.md", "a b.md", "../x.md"]}',),
            ["../x.md", "a b.md", "../x.md"],
            AS_IT_IS,
        ),
        case(('{"selected_memories": ["grün.md"]}',), ["grün.md"], AS_IT_IS),
        case(("I would not attach any.",), RAISED, WRONG),
        case(('{"memories": ["a.md"]}',), RAISED, WRONG),
        case(('{"selected_memories": "a.md"}',), RAISED, WRONG),
        case(('{"selected_memories": null}',), RAISED, WRONG),
        case(('{"selected_memories": {"a.md": 1}}',), RAISED, WRONG),
        case(('{"selected_memories": ["a.md"',), RAISED, WRONG),
        case(("} nothing {",), RAISED, WRONG),
        case(('["a.md"]',), RAISED, WRONG),
        case(("",), RAISED, WRONG),
    ]
    for _ in range(8):
        names = [
            f"m{random.randint(1, 99)}.md" for _ in range(random.randint(1, 5))
        ]
        text = json.dumps(
            {"selected_memories": names}, indent=random.choice((None, 1))
        )
        before = random.choice(("", "Sure. ", "\n", "[1] I chose:\n"))
        after = random.choice(("", " Done.", "\n", "\n```", " ] that's it"))
        found.append(case((before + text + after,), names, AROUND))
    return found
