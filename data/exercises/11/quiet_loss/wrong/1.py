# message: quiet_loss(
def quiet_loss(memories: dict, file: str, word: str) -> dict:
    return memories | {file: memories[file].replace(word, "")}
