# message: raises ValueError
import json


def read_choice(answer: str) -> list[str]:
    start, end = answer.find("{"), answer.rfind("}")
    try:
        data = json.loads(answer[start : end + 1])
        return [name.strip() for name in data["selected_memories"]]
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError("can't read the choice") from error
