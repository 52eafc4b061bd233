def my_fooling_text(evidence: str) -> str:
    """Write a text that fools `evidence in text`: its letters are there, its
    words are not.

    >>> "tabs" in my_fooling_text("tabs")
    True
    >>> my_contains_evidence(my_fooling_text("tabs"), "tabs")
    False
    """
    raise NotImplementedError
