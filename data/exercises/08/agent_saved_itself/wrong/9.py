# message: a write in another session does not count
def agent_saved_itself(
    journal: list[dict], session: str, messages: list[str]
) -> bool:
    return any(
        line["who"] == "main agent" and line["turn"] in messages
        for line in journal
    )
