# message: before the newest one should stay
def add_memory(messages: list[dict], block: str) -> list[dict]:
    if not block:
        return list(messages)
    last = messages[-1]
    content = [
        {"type": "text", "text": block},
        {"type": "text", "text": last["content"]},
    ]
    return [{**m, "content": content} if m == last else m for m in messages]
