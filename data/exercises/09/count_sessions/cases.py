from random import Random

from memlab.course.exercise import Case, case

LATER = "A session counts if it was written later than the last dream"
EQUAL = "An equal time is not later"
NEVER = "If last is None, every session except the current one counts"
CURRENT = "Compare whole names: only the current session itself does not count"
OLD_CURRENT = "The current session would not have counted here anyway"
ZERO = (
    "0.0 is a time like any other, and only None means that no dream is known"
)
UPPER = "Only a name that ends in .jsonl, in small letters, is a transcript"
ANY = "The files are in any order: a new one may come before an old one"
SAME = "Two transcripts may have the same time, and half a second is later"
ENDING = "The name of a transcript ends in .jsonl"

WEEK = [("mon.jsonl", 5.0), ("tue.jsonl", 9.0), ("notes.txt", 9.0)]
NAMES = ("mon", "mon2", "tue", "tues", "wed", "wed.old", "thu")


def cases(random: Random) -> list[Case]:
    found = [
        case((WEEK, 7.0, "wed"), 1, LATER),
        case((WEEK, 4.0, "wed"), 2, LATER),
        case((WEEK, 10.0, "wed"), 0, LATER),
        case((WEEK, 9.0, "wed"), 0, EQUAL),
        case((WEEK, 5.0, "wed"), 1, EQUAL),
        case((WEEK, None, "wed"), 2, NEVER),
        case((WEEK, None, "tue"), 1, NEVER),
        case(([("mon.jsonl", 0.0)], None, "wed"), 1, NEVER),
        case(([("mon.jsonl", 0.0), ("tue.jsonl", 0.0)], 0.0, "wed"), 0, ZERO),
        case((WEEK, 7.0, "tue"), 0, CURRENT),
        case((WEEK, 7.0, "mon"), 1, OLD_CURRENT),
        case(([("jill.jsonl", 9.0)], 7.0, "jill"), 0, CURRENT),
        case(([("tue.old.jsonl", 9.0)], 7.0, "tue.old"), 0, CURRENT),
        case((WEEK, 4.0, "tu"), 2, CURRENT),
        case((WEEK, 4.0, "jsonl"), 2, CURRENT),
        case(
            ([("tue.jsonl", 9.0), ("tue2.jsonl", 9.0)], 7.0, "tue"), 1, CURRENT
        ),
        case(
            ([("tue.jsonl", 9.0), ("x-tue.jsonl", 9.0)], 7.0, "tue"),
            1,
            CURRENT,
        ),
        case(([("tue.jsonl", 9.0), ("mon.jsonl", 5.0)], 7.0, "wed"), 1, ANY),
        case(([], None, "wed"), 0),
        case(([], 7.0, "wed"), 0),
        case(
            ([("mon.jsonl", -3.0), ("tue.jsonl", 2.0)], 0.0, "wed"), 1, LATER
        ),
        case(
            ([("mon.jsonl", 0.0), ("tue.jsonl", 2.0)], -1.0, "wed"), 2, LATER
        ),
        case(([("mon.jsonl.bak", 9.0)], 7.0, "wed"), 0, ENDING),
        case(([("mon.json", 9.0), ("jsonl", 9.0)], 7.0, "wed"), 0, ENDING),
        case(([("jsonl.md", 9.0), ("a.jsonl", 9.0)], 7.0, "wed"), 1, ENDING),
        case(([("tue", 9.0), ("mon.jsonl", 9.0)], 7.0, "tue"), 1, ENDING),
        case(
            ([("MON.JSONL", 9.0), ("TUE.JSONL", 9.0)], None, "wed"), 0, UPPER
        ),
        case(([("a.jsonl", 9.5), ("b.jsonl", 9.5)], 9.0, "wed"), 2, SAME),
        case(([("a.jsonl", 9.2), ("b.jsonl", 9.6)], 9.4, "wed"), 1, LATER),
    ]
    for _ in range(20):
        files = []
        for name in random.sample(NAMES, random.randint(2, 7)):
            ending = random.choice((".jsonl", ".jsonl", ".jsonl", ".txt"))
            files.append((name + ending, float(random.randint(1, 9))))
        last = random.choice((None, float(random.randint(1, 9))))
        current = random.choice(NAMES)
        found.append(
            case((files, last, current), _count(files, last, current))
        )
    return found


def _count(
    files: list[tuple[str, float]], last: float | None, current: str
) -> int:
    transcripts = {name: time for name, time in files if name[-6:] == ".jsonl"}
    transcripts.pop(f"{current}.jsonl", None)
    return sum(last is None or time > last for time in transcripts.values())
