def answer_open_call(call: str, why: str) -> dict:
    """Write the result of a tool call that will never have one: an error with
    the reason.

    >>> answer_open_call("toolu_1", "interrupted")["is_error"]
    True
    """
    ...
