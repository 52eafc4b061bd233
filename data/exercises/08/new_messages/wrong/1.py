# message: ValueError
def new_messages(messages, cursor):
    if cursor is None:
        return messages
    uuids = [message.uuid for message in messages]
    return messages[uuids.index(cursor) + 1 :]
