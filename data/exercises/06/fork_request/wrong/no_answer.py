# message: The answer comes before the question
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
    block = {
        "type": "text",
        "text": prompt,
        "cache_control": {"type": "ephemeral"},
    }
    messages.append({"role": "user", "content": [block]})
    return {**parent, "messages": messages}
