from random import Random

from memlab.course.exercise import Case, case
from memlab.memdir.scan import is_memory_file

ENDING = "The name of a memory ends in .md"
INDEX = "The index is MEMORY.md, in any folder and in capitals or not"
HIDDEN = "A file is hidden if its own name or the name of a folder begins with a dot"
LOGS = "Only a folder called logs at the top of the directory is left out"

FIXED = (
    ("last-ferry-home.md", ENDING),
    ("team/radio-words.md", "A memory may be in a folder"),
    ("notes.txt", ENDING),
    ("photo.md.jpg", ENDING),
    ("md", ENDING),
    ("readme-md", ENDING),
    ("team.md/notes.txt", ENDING),
    ("MEMORY.md", INDEX),
    ("Memory.md", INDEX),
    ("team/MEMORY.md", INDEX),
    ("team/deep/memory.md", INDEX),
    ("team/MeMoRy.md", INDEX),
    ("my-memory.md", INDEX),
    ("MEMORY.md.md", INDEX),
    ("MEMORY-of-the-storm.md", INDEX),
    (".draft.md", HIDDEN),
    ("team/.draft.md", HIDDEN),
    (".memlab/copy.md", HIDDEN),
    ("team/.trash/old.md", HIDDEN),
    ("v1.2-prices.md", HIDDEN),
    ("v1.2/prices.md", HIDDEN),
    ("logs/2026-03-28.md", LOGS),
    ("logs/2026/03/2026-03-28.md", LOGS),
    ("logs.md", LOGS),
    ("logs-of-the-gauge.md", LOGS),
    ("logs-2026/storm.md", LOGS),
    ("team/logs/storm.md", LOGS),
    ("catalogs/boats.md", LOGS),
)
FOLDERS = ("", "team/", "team/deep/", "logs/", ".memlab/", "team/logs/")
STEMS = ("ferry", "memory", "logs", ".draft", "my-memory", "tide.v2")
ENDS = (".md", ".txt", ".md.bak", "")


def cases(random: Random) -> list[Case]:
    found = [case((path,), is_memory_file(path), rule) for path, rule in FIXED]
    for _ in range(30):
        path = "".join(
            (random.choice(FOLDERS), random.choice(STEMS), random.choice(ENDS))
        )
        found.append(case((path,), is_memory_file(path)))
    return found
