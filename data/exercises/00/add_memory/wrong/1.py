# message: stays a string
def add_memory(messages: list[dict], block: str) -> list[dict]:
    last = messages[-1]
    content = [
        {"type": "text", "text": block},
        {"type": "text", "text": last["content"]},
    ]
    return [*messages[:-1], {**last, "content": content}]
