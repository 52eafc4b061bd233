# message: two parts
def add_memory(messages: list[dict], block: str) -> list[dict]:
    if not block or any(block in str(m["content"]) for m in messages):
        return list(messages)
    last = messages[-1]
    content = [
        {"type": "text", "text": block},
        {"type": "text", "text": last["content"]},
    ]
    return [*messages[:-1], {**last, "content": content}]
