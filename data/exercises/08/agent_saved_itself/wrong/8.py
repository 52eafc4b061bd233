# message: the turn may have begun with any of these messages
def agent_saved_itself(
    journal: list[dict], session: str, messages: list[str]
) -> bool:
    if not messages:
        return False
    return any(
        line["who"] == "main agent"
        and line["session"] == session
        and line["turn"] == messages[0]
        for line in journal
    )
