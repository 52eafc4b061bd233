def add_memory(messages: list[dict], block: str) -> list[dict]:
    if not block:
        return list(messages)
    newest = messages[-1]
    content = [
        {"type": "text", "text": block},
        {"type": "text", "text": newest["content"]},
    ]
    changed = {**newest, "content": content}
    return [*messages[:-1], changed]
