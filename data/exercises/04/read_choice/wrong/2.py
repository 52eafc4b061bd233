# message: you raised
import json


def read_choice(answer: str) -> list[str]:
    start = answer.find("{")
    end = answer.find("}", start)
    if start == -1 or end == -1:
        raise ValueError("no object")
    data = json.loads(answer[start : end + 1])
    if not isinstance(data.get("selected_memories"), list):
        raise ValueError("no list")
    return [name.strip() for name in data["selected_memories"]]
