def my_agent_loop(model, tools: dict, words: str, max_turns: int) -> list:
    """Lead a turn and give its messages: ("user", words), ("assistant",
    answer), …

    model(messages) answers with a text, which ends the turn, or with a list of
    calls (name, argument). tools[name](argument) gives a result; the results
    of one answer go back as ("user", [result, …]). Ask max_turns times at
    most. An unknown tool gives "error: no tool NAME", one that raises gives
    "error: " and the exception.

    >>> my_agent_loop(lambda messages: "Hello.", {}, "Hi.", 5)
    [('user', 'Hi.'), ('assistant', 'Hello.')]
    """
    raise NotImplementedError
