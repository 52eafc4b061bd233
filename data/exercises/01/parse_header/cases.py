from __future__ import annotations

import json
from random import Random

from memlab.course.data_files import data_folder
from memlab.course.exercise import Case, case

_KEYS = 'a key that is missing or has no value gives ""'
_COLON = "a value may contain a colon"
_QUOTES = "quotes around a value are not part of it"
_COMMENT = "YAML leaves out a comment, which begins with a space and a #"
_LINES = "a value of YAML may go on in the next line"
_TEXT = (
    "every value is a string: yes is not True, and a date is not a date object"
)
_FENCE = "only a whole line ends the header: --- may be part of a value"
_FIRST = "the first line must be ---"
_BODY = "the body may contain --- lines, and nothing in it is changed"
_CRLF = "a line may end in \\r\\n"
_BOM = "a text may begin with a byte order mark"
_META = "type may be below metadata, and only there"
_TOP = "a type at the top level counts more than one below metadata"
_BAD = "a header that is not valid YAML gives four empty strings"
_NONE = "a text without a header gives four empty strings"

_EMPTY = "a header may be empty, and the body still counts"
_PAIRS = "a header that is not keys and values gives four empty strings"
_STRINGS = "a list or keys as a value give four empty strings"
_ENDS = "only \\n and \\r\\n end a line"
_NO_TYPE = "a type without a value leaves the one below metadata"

_NAMES = [
    "Tide times",
    "Last ferry",
    "Price list: 2026",
    'The "Wet Feet" column',
    "Tuva's boots",
    "Übergabe im Herbst",
    "A long name that could be folded after some words",
]
_HOOKS = [
    "when it leaves",
    "at 17:10, not at 18:00",
    "yes",
    "2026-04-04",
    "007",
    "null",
    "bug #12 --- and what came of it",
    "see http://sea.example:80/a",
    'it\'s #1: the "first" one',
]
_TYPES = ("user", "feedback", "project", "reference")


def cases(random: Random) -> list[Case]:
    """Give the story's files, and others that are harder to read."""
    found = [
        _file("Tabs", "how code is typed", "user", "Tabs.\n", _KEYS),
        _file("Sea", "17:10, not 18:00", "project", "", _COLON),
    ]
    found += _written_otherwise()
    found += _no_memories()
    found += _story()
    for _ in range(30):
        found.append(_random_file(random))
    return found


def _file(
    name: str, about: str, kind: str, body: str, slip: str, text: str = ""
) -> Case:
    plain = f"---\nname: {name}\ndescription: {about}\ntype: {kind}\n---\n"
    wanted = {"name": name, "description": about, "type": kind, "body": body}
    return case((text or plain + body,), wanted, slip)


def _written_otherwise() -> list[Case]:
    return [
        _file(
            "Deploy: no",
            "d",
            "user",
            "x\n",
            _QUOTES,
            '---\nname: "Deploy: no"\ndescription: d\ntype: user\n---\nx\n',
        ),
        _file(
            "Tuva's boots",
            'say "no"',
            "user",
            "",
            _QUOTES,
            "---\nname: 'Tuva''s boots'\n"
            'description: "say \\"no\\""\ntype: \'user\'\n---\n',
        ),
        _file(
            "Tabs",
            "bug #7",
            "user",
            "",
            _COMMENT,
            "---\n# mine\nname: Tabs   # as always\n"
            "description: 'bug #7'\ntype: user # who\n---\n",
        ),
        _file(
            "Tides",
            "a sentence that goes on",
            "project",
            "b",
            _LINES,
            "---\nname: Tides\ndescription: >-\n  a sentence\n  that goes on\n"
            "type: project\n---\nb",
        ),
        _file(
            "Tides",
            "a sentence that goes on",
            "project",
            "b",
            _LINES,
            "---\ndescription: a sentence\n  that goes on\nname: Tides\n"
            "type: project\n---\nb",
        ),
        _file("yes", "2026-04-04", "project", "", _TEXT),
        _file("007", "null", "user", "", _TEXT),
        _file("1.50", "12:30", "user", "", _TEXT),
        _file("before --- after", "d", "user", "", _FENCE),
        _file("Rule", "d", "user", "above\n---\nbelow\n", _BODY),
        _file("Rule", "d", "user", "\n\n  deep  \n\n", _BODY),
        _file("Rule", "d", "user", "---\n", _BODY),
        _file(
            "Windows",
            "d",
            "user",
            "Body\r\nmore\r\n",
            _CRLF,
            "---\r\nname: Windows\r\ndescription: d\r\ntype: user\r\n---\r\n"
            "Body\r\nmore\r\n",
        ),
        _file(
            "Marked",
            "d",
            "user",
            "x",
            _BOM,
            "\ufeff---\nname: Marked\ndescription: d\ntype: user\n---\nx",
        ),
        _file(
            "Moved",
            "d",
            "reference",
            "x",
            _META,
            "---\nname: Moved\ndescription: d\nmetadata:\n"
            "  node_type: memory\n  type: reference\n---\nx",
        ),
        _file(
            "Moved",
            "d",
            "reference",
            "x",
            _META,
            "---\nmetadata: {name: no, type: reference}\nname: Moved\n"
            "description: d\n---\nx",
        ),
        _file(
            "Both",
            "",
            "user",
            "x",
            _TOP,
            "---\nmetadata:\n  type: project\n  description: no\n"
            "name: Both\ntype: user\n---\nx",
        ),
        _file(
            "Other",
            "d",
            "",
            "x",
            _META,
            "---\nname: Other\ndescription: d\norigin:\n  type: web\n"
            "metadata: none\n---\nx",
        ),
        _file(
            "Unknown",
            "d",
            "idea",
            "",
            _KEYS,
            "---\nid: 7\nname: Unknown\ndescription: d\ntype: idea\n---\n",
        ),
        _file("", "", "", "Body", _EMPTY, "---\n---\nBody"),
        _file("", "", "", "Body\n", _EMPTY, "---\n# mine\n---\nBody\n"),
        _file(
            "Both",
            "d",
            "user",
            "x",
            _NO_TYPE,
            "---\nname: Both\ndescription: d\ntype:\nmetadata:\n"
            "  type: user\n---\nx",
        ),
        _file(
            "Indented",
            "above --- below",
            "user",
            "Body\n",
            _FENCE,
            "---\nname: Indented\ndescription: >-\n  above\n  ---\n  below\n"
            "type: user\n---\nBody\n",
        ),
        _file(
            "Separate",
            "d",
            "user",
            "one\u2028---\u2028two\x0bthree\n",
            _BODY,
        ),
        _file("Alone", "", "", "Body", _KEYS, "---\nname: Alone\n---\nBody"),
        _file(
            "Alone", "", "", "", _KEYS, "---\nname: Alone\ndescription:\n---"
        ),
    ]


def _no_memories() -> list[Case]:
    texts = [
        ("No header at all.\n", _NONE),
        ("---\nname: Open end\ntype: user\n", _NONE),
        ("Title\n---\nname: Too late\n---\nBody\n", _FIRST),
        ("----\nname: Too long\n----\nBody\n", _FENCE),
        ("---\nname: 'no end\ntype: user\n---\nBody\n", _BAD),
        ("---\nname: a: b\ntype: user\n---\nBody\n", _BAD),
        ("---\n- a list\n---\nBody\n", _PAIRS),
        ("---\njust a sentence\n---\nBody\n", _PAIRS),
        ("---\nname: [a, list]\ntype: user\n---\nBody\n", _STRINGS),
        ("---\nname: a\ndescription:\n  key: b\n---\nBody\n", _STRINGS),
        ("", _NONE),
        ("\n", _NONE),
        ("\ufeff", _NONE),
        ("---\n", _NONE),
        (" ---\nname: Indented\n---\nBody\n", _FIRST),
        ("---\u2028name: One line\n---\nBody\n---\n", _ENDS),
    ]
    return [_file("", "", "", "", slip, text) for text, slip in texts]


def _story() -> list[Case]:
    """Take the example's memories, whose values are easy to write down."""
    found = []
    folder = data_folder("example") / "memory"
    for path in sorted(folder.glob("*-*.md")):
        text = path.read_text(encoding="utf-8")
        head, body = text.removeprefix("---\n").split("\n---\n", 1)
        values = dict.fromkeys(("name", "description", "type"), "")
        for line in head.split("\n"):
            key, value = line.strip().split(":", 1)
            value = value.strip()
            if key in values:
                is_quoted = value.startswith('"')
                values[key] = json.loads(value) if is_quoted else value
        wanted = values | {"body": body}
        call = f"parse_header(the text of {path.name})"
        found.append(case((text,), wanted, _KEYS, call=call))
    return found


def _random_file(random: Random) -> Case:
    name = random.choice(_NAMES)
    about = random.choice(_HOOKS)
    kind = random.choice(_TYPES)
    keys = [
        f"name: {_spelled(name, random)}",
        f"description: {_spelled(about, random)}",
    ]
    if random.random() < 0.4:
        keys.append(f"metadata:\n  modified: yes\n  type: {kind}")
    else:
        keys.append(f"type: {kind}")
    random.shuffle(keys)
    end = random.choice(("\n", "\n", "\r\n"))
    mark = random.choice(("", "", "", "\ufeff"))
    body = random.choice(
        ("", "One line.", f"One.{end}---{end}Two.{end}", f"{end}  Deep.{end}")
    )
    header = "\n".join(["---", *keys, "---", ""]).replace("\n", end)
    text = f"{mark}{header}{body}"
    slip = "; ".join((_QUOTES, _TEXT, _META, _BODY, _CRLF, _BOM))
    return _file(name, about, kind, body, slip, text)


def _spelled(value: str, random: Random) -> str:
    """Spell a value for YAML in one of the ways that it has."""
    single = "'" + value.replace("'", "''") + "'"
    double = json.dumps(value, ensure_ascii=random.random() < 0.5)
    folded = ">-\n  " + value.replace(" that ", "\n  that ")
    ways = [single, double, f"{single}  # {value[:4]}"]
    if ": " not in value and " #" not in value and '"' not in value:
        ways.append(value)
    if "\n" in folded.removeprefix(">-\n"):
        ways.append(folded)
    return random.choice(ways)
