# message: anything else ends it
import string

from memlab.text import STOP_WORDS


def terms(text: str) -> list[str]:
    words = [word.strip(string.punctuation) for word in text.lower().split()]
    return [word for word in words if word and word not in STOP_WORDS]
