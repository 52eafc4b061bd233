# message: Everything except the messages
def fork_request(parent, answer, prompt):
    messages = []
    for message in parent["messages"]:
        content = message["content"]
        if not isinstance(content, str):
            content = [
                {k: v for k, v in b.items() if k != "cache_control"}
                for b in content
            ]
        messages.append({**message, "content": content})
    messages.append({"role": "assistant", "content": answer})
    block = {
        "type": "text",
        "text": prompt,
        "cache_control": {"type": "ephemeral"},
    }
    messages.append({"role": "user", "content": [block]})
    return {
        "model": parent["model"],
        "max_tokens": parent.get("max_tokens", 300),
        "system": parent.get("system", ""),
        "tools": parent.get("tools", []),
        "messages": messages,
    }
