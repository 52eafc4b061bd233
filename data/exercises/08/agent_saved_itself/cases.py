from random import Random

from memlab.course.exercise import Case, case

WHO = "only what the main agent wrote counts"
SESSION = "a write in another session does not count"
TURN = "only turns that began with one of these messages count"
ONE_OF = "the turn may have begun with any of these messages"
SAME = "all three things have to be true of the same line"
ALL = "any line of the journal may be the one"
LATER = "after a line that does not fit, a later one may"
WHOLE = "names and uuids are compared as a whole"
WRITERS = ("main agent", "extractor", "dream", "user")


def line(who: str, session: str, turn: str) -> dict[str, str]:
    return {"who": who, "session": session, "turn": turn}


def cases(random: Random) -> list[Case]:
    mine = line("main agent", "monday", "m1")
    found = [
        case(([mine], "monday", ["m1", "m2"]), True, ONE_OF),
        case(([mine], "monday", ["m2", "m1"]), True, ONE_OF),
        case(([mine], "monday", ["m3", "m4"]), False, TURN),
        case(([mine], "tuesday", ["m1"]), False, SESSION),
        case(([mine], "monday", []), False, TURN),
        case(([], "monday", ["m1"]), False, "the journal may be empty"),
        case(
            ([line("extractor", "monday", "m1")], "monday", ["m1"]), False, WHO
        ),
        case(([line("dream", "monday", "m1")], "monday", ["m1"]), False, WHO),
        case(([line("user", "monday", "m1")], "monday", ["m1"]), False, WHO),
        case(
            (
                [
                    line("main agent", "monday", "m9"),
                    line("extractor", "monday", "m1"),
                    line("main agent", "tuesday", "m1"),
                ],
                "monday",
                ["m1", "m2"],
            ),
            False,
            SAME,
        ),
        case(
            ([line("dream", "", ""), mine], "monday", ["m1", "m2"]), True, ALL
        ),
        case(
            ([mine, line("extractor", "monday", "m2")], "monday", ["m1"]),
            True,
            ALL,
        ),
        case(
            (
                [line("dream", "", ""), mine, line("user", "monday", "m8")],
                "monday",
                ["m1"],
            ),
            True,
            ALL,
        ),
        case(
            ([line("main agent", "monday", "m0"), mine], "monday", ["m1"]),
            True,
            LATER,
        ),
        case(
            (
                [
                    line("main agent", "monday", "m3"),
                    mine,
                    line("main agent", "monday", "m9"),
                ],
                "monday",
                ["m1", "m2"],
            ),
            True,
            LATER,
        ),
        case(
            ([line("main agent", "tuesday", "m1"), mine], "monday", ["m1"]),
            True,
            LATER,
        ),
        case(([mine], "monday", ["m10", "m11"]), False, WHOLE),
        case(
            ([line("main agent", "monday", "m10")], "monday", ["m1"]),
            False,
            WHOLE,
        ),
        case(([mine], "monday evening", ["m1"]), False, WHOLE),
        case(
            ([line("main agent", "monday evening", "m1")], "monday", ["m1"]),
            False,
            WHOLE,
        ),
    ]
    for _ in range(16):
        journal = [
            line(
                random.choice(("main agent", *WRITERS)),
                random.choice(("monday", "tuesday")),
                f"m{random.randint(1, 4)}",
            )
            for _ in range(random.randint(1, 8))
        ]
        wanted = random.sample(["m1", "m2", "m3", "m4"], 2)
        expected = any(
            line("main agent", "monday", turn) in journal for turn in wanted
        )
        found.append(
            case(
                (journal, "monday", wanted),
                expected,
                f"{WHO}; {SESSION}; {TURN}; {LATER}",
            )
        )
    return found
