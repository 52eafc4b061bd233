# message: order is not
def new_messages(messages: list, cursor: str | None) -> list:
    if cursor is None:
        return list(messages)
    new = []
    for message in reversed(messages):
        if message.uuid == cursor:
            return new[::-1]
        new.append(message)
    return new
