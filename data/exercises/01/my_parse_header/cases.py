from __future__ import annotations

import json
from random import Random

from memlab.course import Case, case, parse_header

_COLON = "a value may hold a colon: split at the first one only"
_QUOTES = "double quotes around a value are not part of it"
_CRLF = "a line may end in \\r\\n"
_BODY = "the body may hold --- lines: only the first two count, and nothing of the body is changed"
_TEXT = "every value is the text that stands there: yes is not True, a date is not a date object"
_KEYS = "name, description and type are always there, empty where the file has none"
_NAMES = [
    "Tide times",
    "Last ferry",
    "Price list",
    "Order of boats",
    "Beach radio",
]
_HOOKS = [
    "when it leaves",
    "who answers",
    "what it costs",
    "why it is so",
    "yes",
    "2026-04-04",
    "on",
]
_TYPES = ("user", "feedback", "project", "reference")


def cases(random: Random) -> list[Case]:
    """Give files to parse, fixed ones and generated ones."""
    fixed = [
        (
            "---\nname: Tabs\ndescription: how code is typed\ntype: user\n---\nTabs.\n",
            _KEYS,
        ),
        (
            "---\nname: http://sea:80/a\ndescription: 17:10, not 18:00\ntype: project\n---\n",
            _COLON,
        ),
        (
            '---\nname: "Quoted: yes"\ndescription: plain\ntype: user\n---\nx\n',
            _QUOTES,
        ),
        (
            "---\r\nname: Windows\r\ndescription: d\r\ntype: user\r\n---\r\nBody\r\n",
            _CRLF,
        ),
        (
            "---\nname: Rule\ndescription: d\ntype: user\n---\nabove\n---\nbelow\n",
            _BODY,
        ),
        (
            "---\nname: yes\ndescription: 2026-04-04\ntype: project\n---\n",
            _TEXT,
        ),
        ("---\nname: Alone\n---\nBody", _KEYS),
        (
            "No frontmatter at all.\n",
            "a text without frontmatter gives four empty strings",
        ),
    ]
    return [
        case((text,), parse_header(text), slip) for text, slip in fixed
    ] + [_random_memory(random) for _ in range(30)]


def _random_memory(random: Random) -> Case:
    name, about = random.choice(_NAMES), random.choice(_HOOKS)
    if random.random() < 0.4:
        name, about = f"{name}: {about}", json.dumps(f"{about}: {name}")
    end = random.choice(("\n", "\r\n"))
    keys = [
        f"name: {_plain(name)}",
        f"description: {about}",
        f"type: {random.choice(_TYPES)}",
    ]
    random.shuffle(keys)
    body = random.choice(
        ("", "One line.", f"One.{end}---{end}Two.", f"{end}{end}  Deep.")
    )
    text = end.join(["---", *keys, "---", body])
    return case((text,), parse_header(text), f"{_QUOTES}; {_BODY}; {_CRLF}")


def _plain(value: str) -> str:
    return json.dumps(value) if ": " in value else value
