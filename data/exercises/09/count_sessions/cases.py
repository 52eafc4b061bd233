from random import Random

from memlab.course.exercise import Case, case

SLIP = "transcripts that were written to after the last dream, except the current one"


def cases(random: Random) -> list[Case]:
    files = [("mon.jsonl", 5.0), ("tue.jsonl", 9.0), ("notes.txt", 9.0)]
    found = [
        case((files, 7.0, "wed"), 1, SLIP),
        case(
            (files, None, "wed"),
            2,
            "without a last dream, every session is new",
        ),
        case((files, 7.0, "tue"), 0, SLIP),
        case(
            (files, 9.0, "wed"),
            0,
            "a session that ended with the dream is not newer",
        ),
        case(([], None, "wed"), 0, SLIP),
    ]
    for _ in range(6):
        times = {f"s{n}": float(random.randint(1, 20)) for n in range(6)}
        last, current = (
            float(random.randint(1, 20)),
            random.choice(list(times)),
        )
        count = sum(
            time > last and name != current for name, time in times.items()
        )
        given = [(f"{name}.jsonl", time) for name, time in times.items()]
        found.append(case((given, last, current), count, SLIP))
    return found
