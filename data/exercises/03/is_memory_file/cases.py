from random import Random

from memlab.course.exercise import Case, case

SLIP = "a memory ends in .md, is not hidden, and is not the index, however that is spelt"


def cases(random: Random) -> list[Case]:
    fixed = {
        "tabs.md": True,
        "MEMORY.md": False,
        "Memory.md": False,
        ".tabs.md": False,
        "tabs.txt": False,
        "tabs.md.bak": False,
        "my-memory.md": True,
        "md": False,
    }
    names = dict(fixed)
    for _ in range(6):
        stem = random.choice(("ferry", "board", "memory", ".draft")) + str(
            random.randint(1, 9)
        )
        end = random.choice((".md", ".txt", ""))
        names[stem + end] = end == ".md" and stem[0] != "."
    return [case((name,), expected, SLIP) for name, expected in names.items()]
