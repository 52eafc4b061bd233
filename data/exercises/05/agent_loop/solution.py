def run_call(call, tools):
    result = {"type": "tool_result", "tool_use_id": call["id"]}
    if call["name"] not in tools:
        return {**result, "content": f"no tool {call['name']}", "is_error": True}
    try:
        text = tools[call["name"]](call["input"])
    except Exception as error:
        text = f"{type(error).__name__}: {error}"
        return {**result, "content": text, "is_error": True}
    return {**result, "content": text}


def agent_loop(ask, tools: dict, messages: list, max_turns: int) -> list:
    messages = list(messages)
    for _ in range(max_turns):
        answer = ask(messages)
        messages.append({"role": "assistant", "content": answer})
        calls = [block for block in answer if block["type"] == "tool_use"]
        if not calls:
            break
        results = [run_call(call, tools) for call in calls]
        messages.append({"role": "user", "content": results})
    return messages
