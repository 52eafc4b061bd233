# message: raises ValueError
import json


def read_choice(answer: str) -> list[str]:
    start = answer.find("{")
    if start == -1:
        raise ValueError("no object")
    data, _ = json.JSONDecoder().raw_decode(answer, start)
    if not isinstance(data.get("selected_memories"), list):
        raise ValueError("no list")
    return [name.strip() for name in data["selected_memories"]]
