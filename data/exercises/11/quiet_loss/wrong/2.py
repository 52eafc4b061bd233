# message: The word has to be gone from the file
import re

from memlab.course import my


def quiet_loss(memories: dict, file: str, word: str) -> dict:
    text = memories[file]
    for form in (word, word.capitalize()):
        text = re.sub(rf"\b{re.escape(form)}\b", "", text)
    result = {**memories, file: text.strip()}
    return (
        result if not my.unaccounted(memories, result, {}) else dict(memories)
    )
