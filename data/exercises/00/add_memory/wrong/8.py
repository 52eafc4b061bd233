# message: only the content
def add_memory(messages: list[dict], block: str) -> list[dict]:
    result = [
        {"role": m["role"], "content": f"{m['content']}"} for m in messages
    ]
    if block:
        words = messages[-1]["content"]
        result[-1]["content"] = [
            {"type": "text", "text": t} for t in (block, words)
        ]
    return result
