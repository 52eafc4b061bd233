# message: are missing
def new_messages(messages: list, cursor: str | None) -> list:
    if cursor is None:
        return list(messages)
    new = []
    found = False
    for message in messages:
        if found:
            new.append(message)
        elif message.uuid == cursor:
            found = True
    return new
