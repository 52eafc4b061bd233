"""Right answers to the gaps of notebook 05, each of which stands alone."""


def run_call(call, tools):
    result = {"type": "tool_result", "tool_use_id": call["id"]}
    if call["name"] not in tools:
        return {**result, "content": f"no tool {call['name']}", "is_error": True}
    try:
        text = tools[call["name"]](call["input"])
    except Exception as error:
        text = f"{type(error).__name__}: {error}"
        return {**result, "content": text, "is_error": True}
    return {**result, "content": text, "is_error": False}


def agent_loop(ask, tools: dict, messages: list, max_turns: int) -> list:
    messages = list(messages)
    turns = 0
    while turns < max_turns:
        answer = ask(messages)
        turns += 1
        messages.append({"role": "assistant", "content": answer})
        results = []
        for block in answer:
            if block["type"] == "tool_use":
                results.append(run_call(block, tools))
        if not results:
            return messages
        messages.append({"role": "user", "content": results})
    return messages


def take_ready(recalls: list) -> list:
    texts = []
    for recall in list(recalls):
        if not recall.done():
            continue
        recalls.remove(recall)
        if not recall.cancelled() and recall.exception() is None:
            texts += recall.result()
    return texts
