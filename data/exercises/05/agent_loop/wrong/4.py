# message: The loop ends after max_turns answers, and the last calls have results
def agent_loop(ask, tools: dict, messages: list, max_turns: int) -> list:
    messages = list(messages)
    turns = 0
    while turns < max_turns:
        answer = ask(messages)
        turns += 1
        messages.append({"role": "assistant", "content": answer})
        calls = [block for block in answer if block["type"] == "tool_use"]
        if not calls or turns == max_turns:
            break
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
    return messages
