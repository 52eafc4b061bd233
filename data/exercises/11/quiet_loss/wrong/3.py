# message: The word may be part of another word
import re

from memlab.course import my


def quiet_loss(memories: dict, file: str, word: str) -> dict:
    result = dict(memories)
    result[file] = re.sub(
        re.escape(word) + r"\s*", "", memories[file], flags=re.IGNORECASE
    )
    if my.unaccounted(memories, result, {}):
        return dict(memories)
    return result
