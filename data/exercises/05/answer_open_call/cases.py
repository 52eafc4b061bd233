from random import Random

from memlab.course.exercise import Case, case

SLIP = "a tool_result for this id, with the reason as its content, that is an error"


def cases(random: Random) -> list[Case]:
    found = []
    for _ in range(4):
        call, why = (
            f"toolu_{random.randint(1, 999)}",
            random.choice(("interrupted", "time limit")),
        )
        wanted = {
            "type": "tool_result",
            "tool_use_id": call,
            "content": why,
            "is_error": True,
        }
        found.append(case((call, why), wanted, SLIP))
    return found
