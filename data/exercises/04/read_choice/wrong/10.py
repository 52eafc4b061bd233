# message: raises ValueError
import json
import re


def read_choice(answer: str) -> list[str]:
    start, end = answer.find("{"), answer.rfind("}")
    text = re.sub(r",\s*([\]}])", r"\1", answer[start : end + 1])
    data = json.loads(text)
    if not isinstance(data.get("selected_memories"), list):
        raise ValueError("no list")
    return [name.strip() for name in data["selected_memories"]]
