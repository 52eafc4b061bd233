# message: the prompt has the only one
def my_fork_request(parent, answer, prompt):
    block = {
        "type": "text",
        "text": prompt,
        "cache_control": {"type": "ephemeral"},
    }
    return {**parent, "messages": [{"role": "user", "content": [block]}]}
