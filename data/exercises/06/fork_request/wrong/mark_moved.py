# message: item 3 differs
import copy


def fork_request(parent, answer, prompt):
    request = copy.deepcopy(parent)
    question = {"type": "text", "text": prompt}
    for message in request["messages"]:
        if isinstance(message["content"], list):
            for block in message["content"]:
                if "cache_control" in block:
                    question["cache_control"] = block.pop("cache_control")
    request["messages"].append({"role": "assistant", "content": answer})
    request["messages"].append({"role": "user", "content": [question]})
    return request
