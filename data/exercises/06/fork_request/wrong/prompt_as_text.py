# message: one marked text block
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
    messages.append({"role": "user", "content": prompt})
    return {**parent, "messages": messages}
