def missed_text(evidence: str) -> str:
    """Return a text in which Markdown marks hide the evidence from the search.

    Without the marks * and _, contains_evidence has to find it. The evidence
    is one or more words of at least two letters, separated by single spaces.

    >>> contains_evidence(missed_text("tabs"), "tabs")
    False
    >>> shown = missed_text("tabs").replace("*", "").replace("_", "")
    >>> contains_evidence(shown, "tabs")
    True
    """
    ...
