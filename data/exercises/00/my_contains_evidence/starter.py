def my_contains_evidence(text: str, evidence: str) -> bool:
    """Say whether the evidence stands in the text as words of its own.

    Case does not matter, and any run of white space counts as one blank.

    >>> my_contains_evidence("Robin types TABS.", "tabs")
    True
    >>> my_contains_evidence("It stabs the dough.", "tabs")
    False
    """
    raise NotImplementedError
