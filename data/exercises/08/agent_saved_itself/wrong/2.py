# message: returned
def agent_saved_itself(journal, session, messages):
    for line in journal:
        return (
            line["who"] == "main agent"
            and line["session"] == session
            and line["turn"] in messages
        )
    return False
