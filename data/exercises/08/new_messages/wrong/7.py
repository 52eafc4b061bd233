# message: a list is expected
from itertools import dropwhile, islice


def new_messages(messages: list, cursor: str | None) -> list:
    if not any(m.uuid == cursor for m in messages):
        return list(messages)
    return islice(dropwhile(lambda m: m.uuid != cursor, messages), 1, None)
