# message: lose every mark
def fork_request(parent, answer, prompt):
    *before, last = parent["messages"]
    if not isinstance(last["content"], str):
        blocks = [
            {k: v for k, v in b.items() if k != "cache_control"}
            for b in last["content"]
        ]
        last = {**last, "content": blocks}
    block = {
        "type": "text",
        "text": prompt,
        "cache_control": {"type": "ephemeral"},
    }
    messages = [
        *before,
        last,
        {"role": "assistant", "content": answer},
        {"role": "user", "content": [block]},
    ]
    return {**parent, "messages": messages}
