# message: list that was passed in
def add_memory(messages, block):
    if block:
        words = messages[-1]["content"]
        messages[-1]["content"] = [
            {"type": "text", "text": block},
            {"type": "text", "text": words},
        ]
    return messages
