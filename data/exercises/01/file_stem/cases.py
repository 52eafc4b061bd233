from random import Random

from memlab.course.exercise import Case, case

SLIP = (
    "lower-case letters and digits, one hyphen between words, none at the ends"
)


def cases(random: Random) -> list[Case]:
    found = [
        case(("Tabs & single quotes!",), "tabs-single-quotes", SLIP),
        case(("../../etc/passwd",), "etc-passwd", SLIP),
        case(("17:10 ferry",), "17-10-ferry", SLIP),
        case(("tabs.md",), "tabs-md", SLIP),
    ]
    for _ in range(8):
        words = random.choices(("tide", "ferry", "board", "42", "kayak"), k=3)
        name = random.choice((" ", ", ", " / ", "--")).join(words).title()
        found.append(
            case(
                (name + random.choice(("", "?", "…")),), "-".join(words), SLIP
            )
        )
    return found
