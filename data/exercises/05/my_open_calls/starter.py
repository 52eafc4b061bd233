def my_open_calls(lines: list[str]) -> list[str]:
    """List the ids of the tool calls in a transcript that have no result,
    oldest first.

    A line is JSON with message.content: a text, or blocks such as {"type":
    "tool_use", "id": …} and {"type": "tool_result", "tool_use_id": …}. The
    last line may be torn.

    >>> my_open_calls(['{"message": {"content": "Hi."}}', '{"mess'])
    []
    """
    raise NotImplementedError
