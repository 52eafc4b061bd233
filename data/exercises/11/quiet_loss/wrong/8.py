# message: All other words of the file have to be there
from memlab.course import my
from memlab.text import words


def quiet_loss(memories: dict, file: str, word: str) -> dict:
    sentences = []
    for line in memories[file].split(". "):
        left = [w for w in words(line) if w != word]
        if " ".join(left) not in sentences:
            sentences.append(" ".join(left))
    result = {**memories, file: ". ".join(sentences)}
    if my.unaccounted(memories, result, {}):
        return dict(memories)
    return result
