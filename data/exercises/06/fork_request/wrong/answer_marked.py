# message: without a mark
from memlab.course import my


def without_marks(message):
    content = message["content"]
    if isinstance(content, str):
        return message
    blocks = [
        {key: block[key] for key in block if key != "cache_control"}
        for block in content
    ]
    return {**message, "content": blocks}


def fork_request(parent, answer, prompt):
    messages = [without_marks(message) for message in parent["messages"]]
    messages.append({"role": "assistant", "content": my.mark_cache(answer)})
    question = my.mark_cache([{"type": "text", "text": prompt}])
    messages.append({"role": "user", "content": question})
    return {**parent, "messages": messages}
