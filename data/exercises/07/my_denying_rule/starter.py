def my_denying_rule(log: list[dict], rules: dict) -> str:
    """Name the rule that refused most since something was last saved, or give
    "".

    A line has "event". "extracted" has "files", which may be empty;
    "tool_denied" has "reason". rules maps each rule's name to a text that
    stands in its reasons alone.

    >>> my_denying_rule([{"event": "extracted", "files": []}], {"link": "through a link"})
    ''
    """
    raise NotImplementedError
