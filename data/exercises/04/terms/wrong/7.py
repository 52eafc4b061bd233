# message: not in any other way
import re

from memlab.text import STOP_WORDS


def terms(text: str) -> list[str]:
    return [
        word
        for word in re.findall(r"[^\W_]+", text.casefold())
        if word not in STOP_WORDS
    ]
