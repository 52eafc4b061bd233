"""Other right answers to the gaps of notebook 06."""


def mark_cache(blocks: list[dict]) -> list[dict]:
    *others, last = blocks
    return [*others, last | {"cache_control": {"type": "ephemeral"}}]


def fork_request(parent: dict, answer: list[dict], prompt: str) -> dict:
    def unmarked(message):
        message = message.copy()
        if isinstance(message["content"], list):
            blocks = []
            for block in message["content"]:
                block = block.copy()
                block.pop("cache_control", None)
                blocks.append(block)
            message["content"] = blocks
        return message

    question = {"type": "text", "text": prompt}
    question["cache_control"] = {"type": "ephemeral"}
    request = parent.copy()
    request["messages"] = list(map(unmarked, parent["messages"]))
    request["messages"] += [
        {"role": "assistant", "content": list(answer)},
        {"role": "user", "content": [question]},
    ]
    return request
