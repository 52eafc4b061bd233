# message: a run of letters and digits
import re

from memlab.text import STOP_WORDS


def terms(text: str) -> list[str]:
    words = re.findall(r"[^\W_]+", text.lower())
    return [word for word in words if len(word) > 1 and word not in STOP_WORDS]
