from random import Random

from memlab.course.exercise import Case, case

USED = "a memory that is taken leaves less room for the next"
PASSED = "a memory that doesn't fit is passed over, and the next one is tried"
ALL = "a memory may use all the bytes that are left"
EMPTY = "a memory of 0 bytes always fits"
ORDER = (
    "the memories are tried in the order that is given, whatever their size"
)


def cases(random: Random) -> list[Case]:
    found = [
        case(
            ([("a.md", 300), ("b.md", 900), ("c.md", 200)], 600),
            ["a.md", "c.md"],
            f"{PASSED}; {USED}",
        ),
        case(([("a.md", 600)], 600), ["a.md"], ALL),
        case(
            ([("a.md", 400), ("b.md", 200), ("c.md", 1)], 600),
            ["a.md", "b.md"],
            f"{ALL}; {USED}; {ORDER}",
        ),
        case(
            ([("a.md", 500), ("b.md", 400), ("c.md", 300)], 700),
            ["a.md"],
            f"{USED}; {ORDER}",
        ),
        case(
            ([("a.md", 700), ("b.md", 300), ("c.md", 300)], 800),
            ["a.md"],
            ORDER,
        ),
        case(([("a.md", 1)], 0), [], USED),
        case(([], 100), [], USED),
        case(([("a.md", 600), ("b.md", 0)], 600), ["a.md", "b.md"], EMPTY),
        case(([("a.md", 0), ("b.md", 10)], 600), ["a.md", "b.md"], EMPTY),
        case(
            ([("b.md", 300), ("a.md", 300), ("c.md", 100)], 350),
            ["b.md"],
            USED,
        ),
    ]
    for _ in range(12):
        sizes = [
            (f"m{number}.md", random.randint(50, 900))
            for number in random.sample(range(9), random.randint(2, 6))
        ]
        left = room = random.randint(300, 1_800)
        kept = []
        for name, size in sizes:
            if size <= room:
                kept.append(name)
                room -= size
        found.append(case((sizes, left), kept, f"{PASSED}; {USED}; {ORDER}"))
    return found
