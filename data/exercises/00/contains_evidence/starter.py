def contains_evidence(text: str, evidence: str) -> bool:
    r"""Tell whether the text contains the evidence as whole words.

    Case is ignored. A run of spaces, tabs and line endings counts as one
    space. A match doesn't count if a letter, a digit or an underscore comes
    directly before or after it; any other character may. The evidence is never
    empty. It may begin or end with any character except white space.

    >>> contains_evidence("Robin types TABS.", "tabs")
    True
    >>> contains_evidence("It stabs the dough.", "tabs")
    False
    >>> contains_evidence("It stabs, then tabs.", "tabs")
    True
    >>> contains_evidence("tabs,\n    not spaces", "tabs, not  spaces")
    True
    >>> contains_evidence("see c++ (old)", "(old)")
    True
    """
    ...
