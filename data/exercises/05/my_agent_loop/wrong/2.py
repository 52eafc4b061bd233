# message: you raised KeyError: 'Fly'
def my_agent_loop(model, tools, words, max_turns):
    messages = [("user", words)]
    for _ in range(max_turns):
        answer = model(messages)
        messages.append(("assistant", answer))
        if isinstance(answer, str):
            break
        messages.append(("user", [tools[n](a) for n, a in answer]))
    return messages
