# message: item 1 differs
import copy


def fork_request(parent, answer, prompt):
    request = copy.deepcopy(parent)
    mark = {"type": "ephemeral"}
    for message in request["messages"]:
        if isinstance(message["content"], list):
            for block in message["content"]:
                if block.get("cache_control") == mark:
                    del block["cache_control"]
    request["messages"].append({"role": "assistant", "content": answer})
    request["messages"].append(
        {
            "role": "user",
            "content": [
                {"type": "text", "text": prompt, "cache_control": mark}
            ],
        }
    )
    return request
