def my_stands_in(text: str, evidence: str) -> bool:
    """Say whether the evidence stands in the text as words of its own.

    Case does not matter, and any run of white space counts as one blank.

    >>> my_stands_in("Robin types TABS.", "tabs")
    True
    >>> my_stands_in("It stabs the dough.", "tabs")
    False
    """
    raise NotImplementedError
