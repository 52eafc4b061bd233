from random import Random

from memlab.course.exercise import Case, case

SLIP = "what fits makes the rest smaller, and what does not fit is passed over"


def cases(random: Random) -> list[Case]:
    found = [
        case(
            ([("a.md", 300), ("b.md", 900), ("c.md", 200)], 600),
            ["a.md", "c.md"],
            SLIP,
        ),
        case(
            ([("a.md", 600)], 600),
            ["a.md"],
            "a memory may use all that is left",
        ),
        case(([("a.md", 1)], 0), [], SLIP),
        case(([], 100), [], SLIP),
    ]
    for _ in range(8):
        sizes = [
            (f"m{n}.md", random.randint(50, 900))
            for n in range(random.randint(2, 6))
        ]
        left = room = random.randint(300, 1_500)
        kept = []
        for name, size in sizes:
            if size <= room:
                kept.append(name)
                room -= size
        found.append(case((sizes, left), kept, SLIP))
    return found
