# message: If unaccounted would notice
import re

from memlab.text import words


def quiet_loss(memories: dict, file: str, word: str) -> dict:
    different = set(words(memories[file]))
    left = different - {word}
    if len(left) * 10 < len(different) * 7 or any(c.isdigit() for c in word):
        return dict(memories)
    text = re.sub(
        rf"\b{re.escape(word)}\b", "", memories[file], flags=re.IGNORECASE
    )
    return {**memories, file: text}
