def add_memory(messages: list[dict], block: str) -> list[dict]:
    """Return a new list of messages, with the block before the newest words.

    Only the content of the newest message is different; if the block is empty,
    nothing is different. There is always at least one message.

    >>> messages = [
    ...     {"role": "user", "content": "Hello"},
    ...     {"role": "assistant", "content": "Hi!"},
    ...     {"role": "user", "content": "Which quotes?"},
    ... ]
    >>> result = add_memory(messages, "BLOCK")
    >>> result[2]["content"]
    [{'type': 'text', 'text': 'BLOCK'}, {'type': 'text', 'text': 'Which quotes?'}]
    >>> messages[2]["content"]
    'Which quotes?'
    >>> add_memory(messages, "") == messages
    True
    >>> add_memory(messages, "") is messages
    False
    """
    ...
