from memlab.course import my
from memlab.text import words


def quiet_loss(memories: dict, file: str, word: str) -> dict:
    rest = [each for each in words(memories[file]) if each != word]
    after = dict(memories)
    after[file] = " ".join(rest)
    if my.unaccounted(memories, after, {}):
        return memories
    return after
