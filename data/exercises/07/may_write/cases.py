from random import Random

from memlab.course.exercise import Case, case

SLIP = "a .md file below the directory"


def cases(random: Random) -> list[Case]:
    memory = "/m/memory"
    paths = {
        "/m/memory/tabs.md": True,
        "/m/memory/team/tabs.md": True,
        "/m/memory/run.sh": False,
        "/m/memory-old/tabs.md": False,
        "/m/CLAUDE.md": False,
        "/m/memory": False,
    }
    for _ in range(6):
        folder = random.choice(("memory", "memory/team", "memories", "other"))
        name = f"tide{random.randint(1, 99)}" + random.choice((".md", ".py"))
        inside = folder in ("memory", "memory/team")
        paths[f"/m/{folder}/{name}"] = inside and name.endswith(".md")
    return [
        case((path, memory), expected, SLIP)
        for path, expected in paths.items()
    ]
