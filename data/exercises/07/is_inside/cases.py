from random import Random

from memlab.course.exercise import Case, case

SLIP = "compare part by part: tidebook-old is not in tidebook"


def cases(random: Random) -> list[Case]:
    home = "/home/robin/tidebook"
    found = [
        case((f"{home}/a.py", home), True, SLIP),
        case((f"{home}-old/a.py", home), False, SLIP),
        case((home, home), True, "a folder is inside itself"),
        case(("/home/robin", home), False, SLIP),
        case(("/etc/passwd", "/"), True, SLIP),
    ]
    for _ in range(6):
        parts = random.choices(("home", "robin", "tide", "tides"), k=4)
        folder = "/" + "/".join(parts[:2])
        below = random.random() < 0.5
        path = folder + ("/" if below else "x/") + "/".join(parts[2:])
        found.append(case((path, folder), below, SLIP))
    return found
