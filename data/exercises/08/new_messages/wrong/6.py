# message: m1 is not expected
def new_messages(messages: list, cursor: str | None) -> list:
    position = 0
    for i, message in enumerate(messages):
        if message.uuid == cursor:
            position = i
    if not position:
        return list(messages)
    return messages[position + 1 :]
