from random import Random

from memlab.course.exercise import Case, case

WHO = "what the extractor or a dream wrote was not the agent's doing"
SESSION = "another session may have used the same turn"
TURN = "only the turns of these messages count"


def line(who: str, session: str, turn: str) -> dict[str, str]:
    return {"who": who, "session": session, "turn": turn}


def cases(random: Random) -> list[Case]:
    mine = line("main agent", "monday", "m1")
    found = [
        case(([mine], "monday", ["m1", "m2"]), True, TURN),
        case(([mine], "monday", ["m3", "m4"]), False, TURN),
        case(([mine], "tuesday", ["m1"]), False, SESSION),
        case(
            ([line("extractor", "monday", "m1")], "monday", ["m1"]), False, WHO
        ),
        case(([], "monday", ["m1"]), False, "the journal may be empty"),
    ]
    for _ in range(8):
        journal = [
            line(
                random.choice(("main agent", "extractor", "dream")),
                random.choice(("monday", "tuesday")),
                f"m{random.randint(1, 4)}",
            )
            for _ in range(random.randint(1, 6))
        ]
        wanted = random.sample(["m1", "m2", "m3", "m4"], 2)
        expected = any(
            line("main agent", "monday", turn) in journal for turn in wanted
        )
        found.append(
            case(
                (journal, "monday", wanted),
                expected,
                f"{WHO}; {SESSION}; {TURN}",
            )
        )
    return found
