from memlab.course import my


def without_marks(message):
    content = message["content"]
    if isinstance(content, str):
        return message
    blocks = []
    for block in content:
        copy = dict(block)
        copy.pop("cache_control", None)
        blocks.append(copy)
    return {**message, "content": blocks}


def fork_request(parent: dict, answer: list[dict], prompt: str) -> dict:
    messages = []
    for message in parent["messages"]:
        messages.append(without_marks(message))
    messages.append({"role": "assistant", "content": answer})
    question = my.mark_cache([{"type": "text", "text": prompt}])
    messages.append({"role": "user", "content": question})
    return {**parent, "messages": messages}
