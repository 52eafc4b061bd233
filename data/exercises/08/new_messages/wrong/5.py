# message: m10 and m11 are not expected
def new_messages(messages: list, cursor: str | None) -> list:
    if cursor is None:
        return list(messages)
    return [m for m in messages if m.uuid > cursor]
