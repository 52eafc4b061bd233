def my_agent_loop(model, tools: dict, words: str, max_turns: int) -> list:
    def run(name, argument):
        if name not in tools:
            return f"error: no tool {name}"
        try:
            return tools[name](argument)
        except Exception as error:
            return f"error: {error}"

    messages = [("user", words)]
    for _ in range(max_turns):
        answer = model(messages)
        messages.append(("assistant", answer))
        if isinstance(answer, str):
            break
        messages.append(
            ("user", [run(name, argument) for name, argument in answer])
        )
    return messages
