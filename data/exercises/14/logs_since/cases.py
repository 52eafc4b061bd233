from random import Random

from memlab.course.exercise import Case, case

SAME_DAY = "The log of the day of the last dream counts, too"
EARLIER = "Earlier logs don't count"
ORDER = "The oldest log comes first"
FOLDERS = "The folders' year and month must match those in the name"
EXISTS = "The day has to exist"
NO_LOG = "Other files are no logs"
ALL = "If there was no dream yet, all logs count"
YEARS = "The order goes by year, month and day"
DIGITS = "Month and day have two digits each"
AFTER = "A file that is no log does not hide the others"


def log(day: str) -> str:
    return f"logs/{day[:4]}/{day[5:7]}/{day}.md"


MARCH = [log("2026-03-31"), log("2026-03-29"), log("2026-03-30")]
TURN = [log("2026-01-02"), log("2025-12-31"), log("2025-02-28")]


def cases(random: Random) -> list[Case]:
    found = [
        case((MARCH, "2026-03-30"), [MARCH[2], MARCH[0]], SAME_DAY),
        case((MARCH, "2026-03-31"), [MARCH[0]], SAME_DAY),
        case((MARCH, "2026-03-01"), sorted(MARCH), ORDER),
        case((MARCH, ""), sorted(MARCH), ALL),
        case((MARCH, "2026-04-01"), [], EARLIER),
        case((TURN, "2025-12-01"), [TURN[1], TURN[0]], YEARS),
        case((TURN, ""), [TURN[2], TURN[1], TURN[0]], YEARS),
        case(([], ""), [], ALL),
        case((["tabs.md", "MEMORY.md", *MARCH[:1]], ""), MARCH[:1], NO_LOG),
        case((["logs/README.md", "logs/2026/03/notes.md"], ""), [], NO_LOG),
        case((["logs/2026/03/2026-03-31.md.bak"], ""), [], NO_LOG),
        case((["logs/2026/03/2026-03-31.txt"], ""), [], NO_LOG),
        case((["old/logs/2026/03/2026-03-31.md"], ""), [], NO_LOG),
        case((["logs/2026/03/20260331.md"], ""), [], NO_LOG),
        case((["logs/2026/W1/2026-W14-2.md"], ""), [], NO_LOG),
        case((["logs/2026/04/2026-03-31.md"], ""), [], FOLDERS),
        case((["logs/2025/03/2026-03-31.md"], ""), [], FOLDERS),
        case((["logs/2026-03-31.md"], ""), [], FOLDERS),
        case((["logs/2026/3/2026-3-9.md"], ""), [], DIGITS),
        case((["logs/2026/02/2026-02-30.md"], ""), [], EXISTS),
        case((["logs/2026/13/2026-13-01.md"], ""), [], EXISTS),
        case((["logs/2026/02/2026-02-29.md"], ""), [], EXISTS),
        case(([log("2026-04-31"), *MARCH[:1]], ""), MARCH[:1], AFTER),
        case(([log("2024-02-29")], ""), [log("2024-02-29")], EXISTS),
    ]
    for _ in range(8):
        days = sorted(
            {
                f"2026-{random.randint(1, 12):02d}-{random.randint(1, 28):02d}"
                for _ in range(6)
            }
        )
        last = random.choice(days)
        paths = [log(day) for day in days]
        expected = [log(day) for day in days if day >= last]
        random.shuffle(paths)
        found.append(case((paths, last), expected))
    return found
