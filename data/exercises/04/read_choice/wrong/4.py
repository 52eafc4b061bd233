# message: raises ValueError
import json


def read_choice(answer: str) -> list[str]:
    start, end = answer.find("{"), answer.rfind("}")
    data = json.loads(answer[start : end + 1])
    names = data.get("selected_memories", [])
    if not isinstance(names, list):
        raise ValueError("selected_memories is not a list")
    return [name.strip() for name in names]
