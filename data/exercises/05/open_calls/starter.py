def open_calls(lines: list[str]) -> list[str]:
    """Return the ids of the tool calls that have no result, oldest first.

    >>> call = {"type": "tool_use", "id": "t1", "name": "Read", "input": {}}
    >>> line = json.dumps({"message": {"role": "assistant", "content": [call]}})
    >>> open_calls([line])
    ['t1']
    >>> open_calls([line, '{"message": {"role": "us'])
    ['t1']
    """
    ...
