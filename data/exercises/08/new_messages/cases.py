from random import Random

from memlab.course.exercise import Case, case
from memlab.course.seams import Message

GONE = "if no message has the cursor's uuid, all messages are new"
AFTER = "the cursor's own message was processed already"


def messages(*numbers: int) -> list[Message]:
    return [Message(f"m{number}", "user", "…") for number in numbers]


def cases(random: Random) -> list[Case]:
    four = messages(1, 2, 3, 4)
    found = [
        case((four, "m2"), messages(3, 4), AFTER),
        case((four, None), four, GONE),
        case((four, "m4"), [], AFTER),
        case((messages(5, 6), "m2"), messages(5, 6), GONE),
        case(([], None), [], "a conversation may be empty"),
    ]
    for _ in range(6):
        numbers = random.sample(range(1, 40), random.randint(2, 9))
        at = random.randrange(len(numbers))
        found.append(
            case(
                (messages(*numbers), f"m{numbers[at]}"),
                messages(*numbers[at + 1 :]),
                AFTER,
            )
        )
    return found
