# message: the marks of the parent's messages
def my_fork_request(parent, answer, prompt):
    block = {
        "type": "text",
        "text": prompt,
        "cache_control": {"type": "ephemeral"},
    }
    new = [{"role": "assistant", "content": answer}] if answer else []
    new.append({"role": "user", "content": [block]})
    keep = [t for t in parent["tools"] if t["name"] != "Bash"]
    return {**parent, "tools": keep, "messages": parent["messages"] + new}
