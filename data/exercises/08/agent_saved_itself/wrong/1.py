# message: returned
def agent_saved_itself(journal, session, messages):
    for line in journal:
        if line["session"] == session and line["turn"] in messages:
            return True
    return False
