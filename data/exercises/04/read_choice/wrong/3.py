# message: KeyError
import json


def read_choice(answer: str) -> list[str]:
    start, end = answer.find("{"), answer.rfind("}")
    if start == -1 or end < start:
        raise ValueError("no JSON object")
    names = json.loads(answer[start : end + 1])["selected_memories"]
    if not isinstance(names, list):
        raise ValueError("not a list")
    return [name.strip() for name in names]
