# message: lose every mark
def fork_request(parent, answer, prompt):
    block = {
        "type": "text",
        "text": prompt,
        "cache_control": {"type": "ephemeral"},
    }
    messages = [
        *parent["messages"],
        {"role": "assistant", "content": answer},
        {"role": "user", "content": [block]},
    ]
    return {**parent, "messages": messages}
