# message: may occur twice
import re

from memlab.text import STOP_WORDS


def terms(text: str) -> list[str]:
    result = []
    for word in re.findall(r"[^\W_]+", text.lower()):
        if word not in STOP_WORDS and word not in result:
            result.append(word)
    return result
