# message: Everything except the messages
def bare(value):
    if isinstance(value, dict):
        return {k: bare(v) for k, v in value.items() if k != "cache_control"}
    if isinstance(value, list):
        return [bare(v) for v in value]
    return value


def fork_request(parent, answer, prompt):
    request = bare(parent)
    request["messages"].append({"role": "assistant", "content": answer})
    block = {
        "type": "text",
        "text": prompt,
        "cache_control": {"type": "ephemeral"},
    }
    request["messages"].append({"role": "user", "content": [block]})
    return request
