# message: The word has to be gone from the file
def quiet_loss(memories: dict, file: str, word: str) -> dict:
    return memories | {file: memories[file].replace(word, "")}
