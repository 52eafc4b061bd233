from __future__ import annotations

from random import Random

from memlab.course.exercise import Case
from memlab.errors import MemoryFormatError
from memlab.memdir import parse_memory

_PLAIN = "a value that YAML reads as it is gets no quotes"

_HARD = [
    "Deploy: never on Friday",
    "Deploy:",
    "# of boats",
    "a #b",
    "'quoted'",
    '"quoted"',
    'say "no"',
    'the "Wet Feet" column: cards',
    "- dash",
    "? what",
    "[list]",
    "{a: b}",
    "C:\\boats: all of them",
    "\\n is not a line end: here",
    "tide ",
    " tide",
    "@home",
    "`code`",
    "%done",
    "&anchor",
    "*emphasis* first",
    "!important",
    "| pipe",
    "> quote",
    "yes",
    "No",
    "on",
    "null",
    "~",
    "007",
    "17",
    "1.50",
    "1e3",
    "12:30",
    "2026-04-04",
    "2026-02-30",
    "0x",
    "=",
    "...: end",
    "übung: später",
    "Tuva says: 'no' — and \"never\"",
    "\U0001f6a4: out, \U0001f6f6: in",
    "a sentence with a colon: it is longer than eighty characters, and that is"
    " where some writers of YAML break a line in two",
]
_PLAIN_ONES = [
    "Tabs",
    "Tide times",
    "ferry at 17:10",
    "übung, später",
    "Tuva's boots",
    'The "Wet Feet" column',
    "http://sea.example/d",
    "C:\\boats",
    "answer first; five lines at most",
    "yes, but not on Friday",
    "a sentence that is longer than eighty characters, because that is where"
    " some writers of YAML break a line in two",
]


def cases(random: Random) -> list[Case]:
    """Give values that need quotes, and values that need none."""
    found = [_header("Tabs", "Deploy: no", "feedback")]
    found += [_header(text, "d", "project") for text in _PLAIN_ONES]
    found += [_header("Tabs", text, "project") for text in _HARD]
    found += [_header(text, "plain", "user") for text in _HARD]
    for _ in range(12):
        found.append(
            _header(
                random.choice(_PLAIN_ONES),
                random.choice(_HARD + _PLAIN_ONES),
                random.choice(("user", "project", "reference")),
            )
        )
    return found


def _header(name: str, description: str, kind: str) -> Case:
    def fits(header: str) -> bool:
        lines = header.split("\n")
        keys = ["---", "name:", "description:", "type:", "---", ""]
        if len(lines) != len(keys):
            return False
        for line, key in zip(lines, keys, strict=True):
            if line.split(" ")[0] != key:
                return False
        for line, value in ((lines[1], name), (lines[2], description)):
            written = line.split(": ", 1)[1] if ": " in line else ""
            if written != value and not written.startswith('"'):
                return False
            if value in _PLAIN_ONES and written != value:
                return False
        try:
            memory = parse_memory(header + "Body.\n")
        except MemoryFormatError:
            return False
        read = (memory.name, memory.description, memory.raw_type, memory.body)
        return read == (name, description, kind, "Body.\n")

    def slip(header: str) -> str:
        for value in (name, description):
            if value in _PLAIN_ONES and f": {value}\n" not in header:
                return f"{_PLAIN}: {value}"
        try:
            memory = parse_memory(header + "Body.\n")
        except MemoryFormatError as error:
            return f"this header cannot be read back ({error})"
        read = (memory.name, memory.description, memory.raw_type)
        for got, value in zip(read, (name, description, kind), strict=True):
            if got != value:
                return f"the value {value!r} comes back as {got!r}"
        if len(header.split("\n")) == 6:
            return "only double quotes are used"
        return "a header has five lines, and the three keys in this order"

    return Case(
        (name, description, kind),
        "a header of five lines that reads back as the same three values",
        fits,
        slip,
    )
