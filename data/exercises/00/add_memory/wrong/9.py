# message: two parts
def add_memory(messages: list[dict], block: str) -> list[dict]:
    if not block:
        return list(messages)
    result = []
    for i, message in enumerate(messages):
        if i == 2:
            content = [
                {"type": "text", "text": block},
                {"type": "text", "text": message["content"]},
            ]
            message = {**message, "content": content}
        result.append(message)
    return result
