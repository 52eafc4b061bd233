from random import Random

from memlab.course.exercise import Case, case
from memlab.course.seams import Message

GONE = "if no message has the cursor's uuid, all messages are new"
FIRST = "before the first run, all messages are new"
AFTER = "the cursor's own message is not new, and everything after it is"
WHOLE = "the cursor is compared with the whole uuid"
UUID = "the cursor is looked for in the uuids, not in the texts or roles"


def messages(*numbers: int) -> list[Message]:
    return [Message(f"m{number}", "user", "…") for number in numbers]


def cases(random: Random) -> list[Case]:
    four = messages(1, 2, 3, 4)
    talk = [
        Message("m1", "user", "m4"),
        Message("m2", "assistant", "m4"),
        Message("m3", "m4", "m3"),
        Message("m4", "user", "…"),
        Message("m5", "user", "…"),
    ]
    found = [
        case((four, "m2"), messages(3, 4), AFTER),
        case((four, None), four, FIRST),
        case((four, "m1"), messages(2, 3, 4), AFTER),
        case((four, "m4"), [], AFTER),
        case((messages(5, 6), "m2"), messages(5, 6), GONE),
        case(([], None), [], "a conversation may be empty"),
        case(([], "m2"), [], "a conversation may be empty"),
        case((messages(7), "m7"), [], AFTER),
        case((messages(10, 11, 1, 2), "m1"), messages(2), WHOLE),
        case((messages(10, 11, 12), "m1"), messages(10, 11, 12), WHOLE),
        case((messages(1, 2), "m10"), messages(1, 2), WHOLE),
        case((messages(30, 4, 12, 3), "m4"), messages(12, 3), AFTER),
        case((talk, "m4"), talk[4:], UUID),
    ]
    for _ in range(8):
        numbers = random.sample(range(1, 40), random.randint(2, 9))
        at = random.randrange(len(numbers))
        found.append(
            case(
                (messages(*numbers), f"m{numbers[at]}"),
                messages(*numbers[at + 1 :]),
                AFTER,
            )
        )
    for _ in range(4):
        numbers = random.sample(range(1, 40), random.randint(1, 9))
        found.append(
            case((messages(*numbers), "m99"), messages(*numbers), GONE)
        )
    return found
