# message: raises ValueError
import json


def read_choice(answer: str) -> list[str]:
    if "{" in answer:
        data = json.loads(answer[answer.index("{") : answer.rindex("}") + 1])
        if "selected_memories" not in data:
            raise ValueError("no key")
        names = data["selected_memories"]
    else:
        names = json.loads(answer)
    if not isinstance(names, list):
        raise ValueError("not a list")
    return [name.strip() for name in names]
