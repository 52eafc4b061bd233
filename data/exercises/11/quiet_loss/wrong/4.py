# message: your function changed the dict
import re

from memlab.course import my


def quiet_loss(memories: dict, file: str, word: str) -> dict:
    old = dict(memories)
    memories[file] = re.sub(
        rf"\b{re.escape(word)}\b\s*", "", old[file], flags=re.IGNORECASE
    )
    if my.unaccounted(old, memories, {}):
        memories[file] = old[file]
    return memories
