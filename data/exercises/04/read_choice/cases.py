import json
from collections.abc import Callable
from random import Random
from typing import Any

from memlab.course.exercise import Case, case

AROUND = "text before the first { and after the last } is ignored"
WRONG = "if the names cannot be read, the function raises ValueError"
SPACE = "names have no white space around them"
AS_IT_IS = "apart from white space around them, names stay as they are"
RAISED = ["raises ValueError"]

READ: tuple[tuple[str, list[str], str], ...] = (
    (
        '{"selected_memories": ["tabs.md", " ferry.md"]}',
        ["tabs.md", "ferry.md"],
        SPACE,
    ),
    ('{"selected_memories": ["tabs.md\\n"]}', ["tabs.md"], SPACE),
    ('Here you are: {"selected_memories": []}', [], AROUND),
    ('```json\n{"selected_memories": ["a.md"]}\n```', ["a.md"], AROUND),
    (
        'My choice:\n{\n "selected_memories": [\n  "a.md",\n  "b.md"\n ]\n}',
        ["a.md", "b.md"],
        AROUND,
    ),
    (
        '{"why": ["it fits"], "selected_memories": ["a.md"], "n": {"of": 1}}',
        ["a.md"],
        AROUND,
    ),
    ('{"selected_memories": ["a.md"], "sure": true}', ["a.md"], AROUND),
    (
        '{"selected_memories": ["../x.md", "a b.md", "../x.md"]}',
        ["../x.md", "a b.md", "../x.md"],
        AS_IT_IS,
    ),
    (
        '{"selected_memories": ["tabs", "README.md", "my  tabs.md"]}',
        ["tabs", "README.md", "my  tabs.md"],
        AS_IT_IS,
    ),
    ('{"selected_memories": [" ", "a.md"]}', ["", "a.md"], AS_IT_IS),
    ('{"selected_memories": ["robin\'s.md"]}', ["robin's.md"], AS_IT_IS),
    ('{"selected_memories": ["grün.md"]}', ["grün.md"], AS_IT_IS),
)

UNUSABLE = (
    "I would not attach any.",
    '{"memories": ["a.md"]}',
    '{"selected_memories": "a.md"}',
    '{"selected_memories": null}',
    '{"selected_memories": {"a.md": 1}}',
    '{"selected_memories": ["a.md"',
    '{"selected_memories": ["a.md",]}',
    '{"selected_memories": ["a.md"]} or {nothing}',
    "} nothing {",
    '["a.md"]',
    "",
)


def run(mine: Callable[[str], Any], answer: str, usable: bool) -> Any:
    """Call the function. Where ValueError is right, it becomes a result."""
    if usable:
        return mine(answer)
    try:
        return mine(answer)
    except ValueError:
        return RAISED


def shown(value: Any) -> list[str]:
    """Write a result as a line; a ValueError is one, too."""
    return ["ValueError"] if value == RAISED else [repr(value)]


def _not_raised(value: Any) -> str:
    return WRONG


def _read(answer: str, names: list[str], slip: str) -> Case:
    call = f"read_choice({answer!r})"
    return case((answer, True), names, slip, call=call)


def _unusable(answer: str) -> Case:
    call = f"read_choice({answer!r})"
    return case((answer, False), RAISED, _not_raised, call=call, lines=shown)


def cases(random: Random) -> list[Case]:
    seven = [f"m{number}.md" for number in range(7)]
    found = [_read(*each) for each in READ]
    found.append(
        _read(json.dumps({"selected_memories": seven}), seven, AS_IT_IS)
    )
    found += [_unusable(answer) for answer in UNUSABLE]
    for _ in range(8):
        names = [
            f"m{random.randint(1, 99)}.md" for _ in range(random.randint(1, 5))
        ]
        text = json.dumps(
            {"selected_memories": names}, indent=random.choice((None, 1))
        )
        before = random.choice(("", "Sure. ", "\n", "[1] I chose:\n"))
        after = random.choice(("", " Done.", "\n", "\n```", " ] that's it"))
        found.append(_read(before + text + after, names, AROUND))
    return found
