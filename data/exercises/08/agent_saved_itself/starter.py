def agent_saved_itself(
    journal: list[dict], session: str, messages: list[str]
) -> bool:
    """Tell whether the agent saved something in the turns of these messages.

    >>> line = {"who": "main agent", "session": "monday", "turn": "m1"}
    >>> agent_saved_itself([line], "monday", ["m1", "m2"])
    True
    >>> agent_saved_itself([line], "monday", ["m3", "m4"])
    False
    """
    ...
