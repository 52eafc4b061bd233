def new_messages(messages: list, cursor: str | None) -> list:
    for number, message in enumerate(messages):
        if message.uuid == cursor:
            return messages[number + 1 :]
    return messages[:]
