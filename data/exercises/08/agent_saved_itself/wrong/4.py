# message: after a line that does not fit, a later one may
def agent_saved_itself(
    journal: list[dict], session: str, messages: list[str]
) -> bool:
    for line in journal:
        if line["who"] == "main agent" and line["session"] == session:
            return line["turn"] in messages
    return False
