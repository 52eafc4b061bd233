def agent_loop(ask, tools: dict, messages: list, max_turns: int) -> list:
    """Return the messages, followed by everything that happens in the turn.

    ask(messages) sends the conversation to the model, and returns its answer
    as a list of blocks. tools[name](input) runs a tool and returns a string.
    In this example, the model asks for the tool Depth, and then answers:

    >>> question = {"role": "user", "content": "How deep is the strait?"}
    >>> agent_loop(ask, {"Depth": depth}, [question], 5)
    [{'role': 'user', 'content': 'How deep is the strait?'},
     {'role': 'assistant', 'content': [
         {'type': 'tool_use', 'id': 'toolu_1', 'name': 'Depth', 'input': {}}]},
     {'role': 'user', 'content': [
         {'type': 'tool_result', 'tool_use_id': 'toolu_1', 'content': '4 m'}]},
     {'role': 'assistant', 'content': [{'type': 'text', 'text': '4 m.'}]}]
    """
    messages = list(messages)  # a copy: the caller's list stays as it is
    ...  # your loop
    return messages
