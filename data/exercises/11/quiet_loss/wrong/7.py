# message: The word has to be gone from the file
from memlab.course import my


def quiet_loss(memories: dict, file: str, word: str) -> dict:
    left = [part for part in memories[file].split() if part.lower() != word]
    result = {**memories, file: " ".join(left)}
    if my.unaccounted(memories, result, {}):
        return dict(memories)
    return result
