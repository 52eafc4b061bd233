from random import Random

from memlab.course.exercise import Case, case

SLIP = "a .md file below the directory"


def cases(random: Random) -> list[Case]:
    memory = "/m/memory"
    fixed = {
        "/m/memory/tabs.md": True,
        "/m/memory/team/tabs.md": True,
        "/m/memory/run.sh": False,
        "/m/memory-old/tabs.md": False,
        "/m/CLAUDE.md": False,
        "/m/memory": False,
    }
    paths = dict(fixed)
    for _ in range(6):
        folder = random.choice(
            ("memory", "memory/team", "memory/.wal", "other")
        )
        stem = random.choice(("tide", ".tide")) + str(random.randint(1, 99))
        name = stem + random.choice((".md", ".py"))
        visible = folder in ("memory", "memory/team") and name[0] != "."
        paths[f"/m/{folder}/{name}"] = visible and name.endswith(".md")
    return [
        case((path, memory), expected, SLIP)
        for path, expected in paths.items()
    ]
