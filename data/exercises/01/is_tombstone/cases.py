from __future__ import annotations

from random import Random

from memlab.course.exercise import Case, case

_BODY = "a file whose body still says something is kept"
_BLANK = "a body of white space is empty"
_KEY = "an empty body alone is not a request: one of the two keys is needed"
_EITHER = "either of the two keys is enough"
_ANY = "any value but an empty string counts, whatever it says"
_VALUE = "a key without a value counts as missing"


def cases(random: Random) -> list[Case]:
    """Give headers and bodies."""
    heir = {"name": "x", "superseded_by": "tabs.md"}
    dropped = {"name": "x", "dropped": "it is over"}
    found = [
        case((dropped, "\n"), True, f"{_EITHER}; {_BLANK}"),
        case((dropped, "Use tabs.\n"), False, _BODY),
        case((heir, ""), True, f"{_EITHER}; {_BLANK}"),
        case((heir, " \n\t\n"), True, f"{_EITHER}; {_BLANK}"),
        case((heir, "Use tabs."), False, _BODY),
        case((heir | dropped, ""), True, _EITHER),
        case((heir | dropped, "."), False, _BODY),
        case(({"name": "x", "dropped": ""}, ""), False, _VALUE),
        case(({"name": "x", "superseded_by": ""}, "\n"), False, _VALUE),
        case(
            ({"name": "x", "superseded_by": "", "dropped": "old"}, ""),
            True,
            _EITHER,
        ),
        case(
            ({"name": "x", "superseded_by": "a.md", "dropped": ""}, ""),
            True,
            _EITHER,
        ),
        case(({"name": "x"}, ""), False, _KEY),
        case(({"name": "x", "id": "7"}, ""), False, _KEY),
        case(({"name": "x", "dropped": "no"}, ""), True, _ANY),
        case(({"name": "x", "dropped": "false"}, ""), True, _ANY),
        case((dropped, "# Tabs\n"), False, _BODY),
        case((dropped, "---\n"), False, _BODY),
        case(({"name": "dropped"}, ""), False, _KEY),
        case(({}, ""), False, _KEY),
        case(({"name": "x"}, "Use tabs."), False, _BODY),
    ]
    for _ in range(8):
        header = {
            "name": "x",
            "superseded_by": random.choice(("", "a.md")),
            "dropped": random.choice(("", "old")),
        }
        body = random.choice(("", " \n", "Still true.\n"))
        has_value = bool(header["superseded_by"] or header["dropped"])
        is_empty = not body.strip()
        slip = _KEY if is_empty else _BODY
        found.append(case((header, body), has_value and is_empty, slip))
    return found
