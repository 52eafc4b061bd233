def my_quiet_loss(memories: dict, file: str) -> dict:
    text = "There are style preferences, and they are important. "
    return memories | {file: text * (len(memories[file]) // len(text) + 1)}
