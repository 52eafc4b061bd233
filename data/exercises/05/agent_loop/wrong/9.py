# message: One message has the results
def agent_loop(ask, tools: dict, messages: list, max_turns: int) -> list:
    messages = list(messages)
    for _ in range(max_turns):
        answer = ask(messages)
        messages.append({"role": "assistant", "content": answer})
        calls = [block for block in answer if block["type"] == "tool_use"]
        if not calls:
            break
        results, errors = [], []
        for call in calls:
            result = {"type": "tool_result", "tool_use_id": call["id"]}
            if call["name"] not in tools:
                errors.append(
                    {
                        **result,
                        "content": f"no tool {call['name']}",
                        "is_error": True,
                    }
                )
                continue
            try:
                results.append(
                    {**result, "content": tools[call["name"]](call["input"])}
                )
            except Exception as error:
                errors.append(
                    {
                        **result,
                        "content": f"{type(error).__name__}: {error}",
                        "is_error": True,
                    }
                )
        messages.append({"role": "user", "content": results + errors})
    return messages
