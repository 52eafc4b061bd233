def add_memory(messages: list[dict], block: str) -> list[dict]:
    """Return the messages, with the block in front of the newest words.

    All earlier messages stay as they are. With an empty block, the newest
    message does, too. There is always at least one message.

    >>> messages = [
    ...     {"role": "user", "content": "Hello"},
    ...     {"role": "assistant", "content": "Hi!"},
    ...     {"role": "user", "content": "Which quotes?"},
    ... ]
    >>> add_memory(messages, "BLOCK")[2]["content"]
    [{'type': 'text', 'text': 'BLOCK'}, {'type': 'text', 'text': 'Which quotes?'}]
    >>> messages[2]["content"]
    'Which quotes?'
    """
    ...
