# message: nested inside
def fork_request(parent, answer, prompt):
    def clean(value):
        if isinstance(value, dict):
            return {
                k: clean(v) for k, v in value.items() if k != "cache_control"
            }
        if isinstance(value, list):
            return [clean(v) for v in value]
        return value

    mark = {"type": "ephemeral"}
    question = {"type": "text", "text": prompt, "cache_control": mark}
    messages = clean(parent["messages"])
    messages.append({"role": "assistant", "content": answer})
    messages.append({"role": "user", "content": [question]})
    return {**parent, "messages": messages}
