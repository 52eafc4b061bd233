from random import Random

from memlab.course.exercise import Case, case

SLIP = (
    "neither what was shown before, nor the same name twice; the order stays"
)


def cases(random: Random) -> list[Case]:
    names = [
        f"{word}.md" for word in ("tabs", "ferry", "board", "radio", "sql")
    ]
    found = [
        case(
            (["tabs.md", "ferry.md", "tabs.md"], ["ferry.md"]),
            ["tabs.md"],
            SLIP,
        ),
        case(([], ["ferry.md"]), [], SLIP),
        case((["sql.md", "board.md"], []), ["sql.md", "board.md"], SLIP),
    ]
    for _ in range(8):
        given = random.choices(names, k=random.randint(2, 8))
        shown = random.sample(names, random.randint(0, 2))
        kept = [name for name in dict.fromkeys(given) if name not in shown]
        found.append(case((given, shown), kept, SLIP))
    return found
