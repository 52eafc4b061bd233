from random import Random

from memlab.course.exercise import Case, case

MARK = {"cache_control": {"type": "ephemeral"}}
SLIP = "the last block has the mark, and the others have none"


def cases(random: Random) -> list[Case]:
    found = []
    for count in (1, 2, 3, 5):
        blocks = [
            {"type": "text", "text": f"line {random.randint(1, 99)}"}
            for _ in range(count)
        ]
        found.append(
            case((blocks,), [*blocks[:-1], {**blocks[-1], **MARK}], SLIP)
        )
    return found
