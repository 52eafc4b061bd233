# message: stays a string
def fork_request(parent, answer, prompt):
    messages = []
    for message in parent["messages"]:
        content = message["content"]
        if isinstance(content, str):
            content = [{"type": "text", "text": content}]
        bare = [
            {k: v for k, v in b.items() if k != "cache_control"}
            for b in content
        ]
        messages.append({**message, "content": bare})
    messages.append({"role": "assistant", "content": answer})
    block = {
        "type": "text",
        "text": prompt,
        "cache_control": {"type": "ephemeral"},
    }
    messages.append({"role": "user", "content": [block]})
    return {**parent, "messages": messages}
