# message: anything else ends it
import re

from memlab.text import STOP_WORDS


def terms(text: str) -> list[str]:
    return [
        word
        for word in re.findall(r"\w+", text.lower())
        if word not in STOP_WORDS
    ]
