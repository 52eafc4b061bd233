# message: list that was passed in
def add_memory(messages: list[dict], block: str) -> list[dict]:
    if not block:
        return messages
    last = messages[-1]
    content = [
        {"type": "text", "text": block},
        {"type": "text", "text": last["content"]},
    ]
    return [*messages[:-1], {**last, "content": content}]
