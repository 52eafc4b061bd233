import json


def count_messages(lines: list[str]) -> int:
    """Count the messages that a person has typed.

    >>> typed = '{"type": "user", "message": {"content": "Morning."}}'
    >>> answer = '{"type": "assistant", "message": {"content": "Hello."}}'
    >>> count_messages([typed, answer, typed, '{"type": "us'])
    2
    """
    ...
