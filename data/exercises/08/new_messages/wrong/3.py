# message: are not expected
def new_messages(messages: list, cursor: str | None) -> list:
    new = []
    found = False
    for message in messages:
        if found:
            new.append(message)
        if message.uuid == cursor:
            found = True
    return new or list(messages)
