def my_fork_request(parent: dict, answer: list, prompt: str) -> dict:
    def unmarked(message):
        if isinstance(message["content"], str):
            return message
        blocks = [
            {
                key: value
                for key, value in block.items()
                if key != "cache_control"
            }
            for block in message["content"]
        ]
        return {**message, "content": blocks}

    mark = {"cache_control": {"type": "ephemeral"}}
    messages = [unmarked(message) for message in parent["messages"]]
    if answer:
        messages.append({"role": "assistant", "content": answer})
    messages.append(
        {"role": "user", "content": [{"type": "text", "text": prompt, **mark}]}
    )
    return {**parent, "messages": messages}
