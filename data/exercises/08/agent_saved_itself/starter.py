def agent_saved_itself(
    journal: list[dict], session: str, messages: list[str]
) -> bool:
    """Tell by the journal whether the agent wrote a memory in a turn that one
    of these messages began.

    A line of the journal has who ("main agent", "extractor" or "dream"), the
    session, and turn: the uuid of the message that began the turn.

    >>> line = {"who": "main agent", "session": "monday", "turn": "m1"}
    >>> agent_saved_itself([line], "monday", ["m1", "m2"])
    True
    >>> agent_saved_itself([line], "monday", ["m3", "m4"])
    False
    """
    ...
