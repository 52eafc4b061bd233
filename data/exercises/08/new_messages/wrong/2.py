# message: m2
def new_messages(messages, cursor):
    for number, message in enumerate(messages):
        if message.uuid == cursor:
            return messages[number:]
    return messages
