# message: in upper case as well
import re

from memlab.text import STOP_WORDS


def terms(text: str) -> list[str]:
    words = re.findall(r"[^\W_]+", text)
    if text[:1].isupper() and words:
        words[0] = words[0].lower()
    return [word.lower() for word in words if word not in STOP_WORDS]
