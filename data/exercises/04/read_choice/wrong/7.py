# message: stay as they are
import json


def read_choice(answer: str) -> list[str]:
    start, end = answer.find("{"), answer.rfind("}")
    data = json.loads(answer[start : end + 1])
    if not isinstance(data.get("selected_memories"), list):
        raise ValueError("no list")
    return [name.strip().lower() for name in data["selected_memories"]]
