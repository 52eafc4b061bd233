import json


def read_choice(answer: str) -> list[str]:
    start = answer.find("{")
    end = answer.rfind("}")
    found = json.loads(answer[start : end + 1])
    if "selected_memories" not in found:
        raise ValueError("the object has no key selected_memories")
    names = found["selected_memories"]
    if not isinstance(names, list):
        raise ValueError("selected_memories is not a list")
    return [str(name).strip() for name in names]
