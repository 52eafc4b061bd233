import json


def read_choice(answer: str) -> list[str]:
    try:
        start, end = answer.index("{"), answer.rindex("}")
        names = json.loads(answer[start : end + 1])["selected_memories"]
    except (ValueError, KeyError):
        raise ValueError("the answer names no memories") from None
    if not isinstance(names, list):
        raise ValueError("selected_memories is no list")
    return [str(name).strip() for name in names]
