def answer_open_call(call: str, why: str) -> dict:
    """Return an error as the result of the tool call with this id.

    >>> answer_open_call("toolu_1", "The session ended.")["tool_use_id"]
    'toolu_1'
    """
    ...
