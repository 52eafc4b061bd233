# message: names and uuids are compared as a whole
def agent_saved_itself(
    journal: list[dict], session: str, messages: list[str]
) -> bool:
    wanted = " ".join(messages)
    for line in journal:
        if (
            line["who"] == "main agent"
            and line["session"] == session
            and line["turn"] in wanted
        ):
            return True
    return False
