# message: two parts
def add_memory(messages: list[dict], block: str) -> list[dict]:
    if not block:
        return list(messages)
    last = messages[-1]
    content = [
        {"type": "text", "text": text}
        for text in (block, last["content"])
        if text
    ]
    return [*messages[:-1], last | {"content": content}]
