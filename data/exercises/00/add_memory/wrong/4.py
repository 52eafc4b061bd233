# message: only the content
def add_memory(messages: list[dict], block: str) -> list[dict]:
    result = list(messages)
    if block:
        result[-1] = {
            "role": "user",
            "content": [
                {"type": "text", "text": block},
                {"type": "text", "text": messages[-1]["content"]},
            ],
        }
    return result
