from random import Random

from memlab.course.exercise import Case, case

BODY = "a body that says something is kept"
KEY = "one of the two keys, with a value"


def cases(random: Random) -> list[Case]:
    found = [
        case(({"name": "x", "superseded_by": "tabs.md"}, "\n"), True, KEY),
        case(
            ({"name": "x", "superseded_by": "tabs.md"}, "Use tabs."),
            False,
            BODY,
        ),
        case(({"name": "x", "dropped": "it is over"}, ""), True, KEY),
        case(({"name": "x", "dropped": ""}, ""), False, KEY),
        case(({"name": "x"}, ""), False, KEY),
    ]
    for _ in range(6):
        header = {
            "name": "x",
            "superseded_by": random.choice(("", "a.md")),
            "dropped": random.choice(("", "old")),
        }
        body = random.choice(("", " \n", "Still true.\n"))
        keys = header["superseded_by"] or header["dropped"]
        found.append(
            case(
                (header, body),
                bool(keys) and not body.strip(),
                f"{KEY}; {BODY}",
            )
        )
    return found
