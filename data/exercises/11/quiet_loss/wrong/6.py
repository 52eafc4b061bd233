# message: unaccounted would not have noticed
import re

from memlab.course import my


def quiet_loss(memories: dict, file: str, word: str) -> dict:
    text = re.sub(
        rf"\b{re.escape(word)}\b\s*", "", memories[file], flags=re.IGNORECASE
    )
    if my.unaccounted({file: memories[file]}, {file: text}, {}):
        return dict(memories)
    return {**memories, file: text}
