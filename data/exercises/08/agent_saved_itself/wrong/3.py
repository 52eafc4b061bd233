# message: any line of the journal may be the one
def agent_saved_itself(
    journal: list[dict], session: str, messages: list[str]
) -> bool:
    if not journal:
        return False
    line = journal[-1]
    return (
        line["who"] == "main agent"
        and line["session"] == session
        and line["turn"] in messages
    )
