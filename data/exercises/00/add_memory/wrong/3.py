# message: before the newest one should stay
def add_memory(messages: list[dict], block: str) -> list[dict]:
    if not block:
        return list(messages)
    result = []
    for message in messages:
        content = message["content"]
        if isinstance(content, str):
            content = [{"type": "text", "text": content}]
        result.append({**message, "content": content})
    result[-1]["content"] = [{"type": "text", "text": block}] + result[-1][
        "content"
    ]
    return result
