def missed_text(evidence: str) -> str:
    """Return a text with Markdown marks in which the rule misses the evidence.

    Without the marks, the rule has to find it.

    >>> contains_evidence(missed_text("tabs"), "tabs")
    False
    >>> shown = missed_text("tabs").replace("*", "").replace("_", "")
    >>> contains_evidence(shown, "tabs")
    True
    """
    ...
