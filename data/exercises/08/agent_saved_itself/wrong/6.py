# message: all three things have to be true of the same line
def agent_saved_itself(
    journal: list[dict], session: str, messages: list[str]
) -> bool:
    writers = {line["who"] for line in journal}
    sessions = {line["session"] for line in journal}
    turns = {line["turn"] for line in journal}
    return (
        "main agent" in writers
        and session in sessions
        and not turns.isdisjoint(messages)
    )
