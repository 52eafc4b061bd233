# message: anything else ends it
import re

from memlab.text import STOP_WORDS


def terms(text: str) -> list[str]:
    words = re.findall(r"[^\W_]+(?:['’][^\W_]+)*", text.lower())
    return [word for word in words if word not in STOP_WORDS]
