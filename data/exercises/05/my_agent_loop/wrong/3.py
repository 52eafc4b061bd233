# message: 400: every tool call needs a result
def my_agent_loop(model, tools, words, max_turns):
    messages = [("user", words)]
    for _ in range(max_turns):
        answer = model(messages)
        messages.append(("assistant", answer))
        if isinstance(answer, str):
            break
        for n, a in answer:
            messages.append(("user", [tools[n](a)]))
    return messages
