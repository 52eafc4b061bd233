# message: expected ['a.md', 'b.md']
import json
import re


def read_choice(answer: str) -> list[str]:
    match = re.search(r"\{.*\}", answer)
    if match is None:
        raise ValueError("no object")
    data = json.loads(match.group())
    if "selected_memories" not in data or not isinstance(
        data["selected_memories"], list
    ):
        raise ValueError("no list")
    return [name.strip() for name in data["selected_memories"]]
