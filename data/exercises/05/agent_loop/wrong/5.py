# message: If max_turns is 0, the model is not asked at all
def agent_loop(ask, tools: dict, messages: list, max_turns: int) -> list:
    messages = list(messages)
    turns = 0
    while True:
        answer = ask(messages)
        messages.append({"role": "assistant", "content": answer})
        calls = [block for block in answer if block["type"] == "tool_use"]
        if not calls:
            return messages
        results = []
        for call in calls:
            result = {"type": "tool_result", "tool_use_id": call["id"]}
            if call["name"] not in tools:
                result["content"] = f"no tool {call['name']}"
                result["is_error"] = True
            else:
                try:
                    result["content"] = tools[call["name"]](call["input"])
                except Exception as error:
                    result["content"] = f"{type(error).__name__}: {error}"
                    result["is_error"] = True
            results.append(result)
        messages.append({"role": "user", "content": results})
        turns += 1
        if turns >= max_turns:
            return messages
