# message: if no message has the cursor's uuid, all messages are new
def new_messages(messages: list, cursor: str | None) -> list:
    if cursor is None:
        return messages[:]
    uuids = [m.uuid for m in messages]
    return messages[uuids.index(cursor) + 1 :]
