# message: a run of letters and digits
import re

from memlab.text import STOP_WORDS


def terms(text: str) -> list[str]:
    return [
        word
        for word in re.findall(r"[a-z0-9]+", text.lower())
        if word not in STOP_WORDS
    ]
