from random import Random

from memlab.course.exercise import Case, case

SHOWN = "names in shown are dropped"
TWICE = "a name that was chosen twice is returned once, at its first place"
SAME = "two names are the same only if every character is the same"
ORDER = "the order stays"
WORDS = ("tabs", "ferry", "old-ferry", "board", "radio", "sql", "sql-first")


def cases(random: Random) -> list[Case]:
    names = [f"{word}.md" for word in WORDS]
    found = [
        case(
            (["tabs.md", "ferry.md", "tabs.md"], ["ferry.md"]),
            ["tabs.md"],
            f"{SHOWN}; {TWICE}",
        ),
        case(
            (["tabs.md", "sql.md", "ferry.md", "tabs.md"], ["radio.md"]),
            ["tabs.md", "sql.md", "ferry.md"],
            f"{TWICE}; {ORDER}",
        ),
        case(([], ["ferry.md"]), [], SHOWN),
        case((["sql.md", "board.md"], []), ["sql.md", "board.md"], ORDER),
        case(
            (["ferry.md", "sql.md"], ["old-ferry.md", "sql-first.md"]),
            ["ferry.md", "sql.md"],
            SHOWN,
        ),
        case(
            (["old-ferry.md", "sql-first.md"], ["ferry.md", "sql.md"]),
            ["old-ferry.md", "sql-first.md"],
            SHOWN,
        ),
        case((["Tabs.md"], ["tabs.md"]), ["Tabs.md"], SAME),
        case((["work/tabs.md"], ["tabs.md"]), ["work/tabs.md"], SAME),
        case(
            (["sql.md", "sql.md", "tabs.md", "tabs.md"], ["sql.md"]),
            ["tabs.md"],
            f"{SHOWN}; {TWICE}",
        ),
    ]
    for _ in range(12):
        given = random.choices(names, k=random.randint(2, 9))
        shown = random.sample(names, random.randint(0, 3))
        kept = [name for name in dict.fromkeys(given) if name not in shown]
        found.append(case((given, shown), kept, f"{SHOWN}; {TWICE}; {ORDER}"))
    return found
