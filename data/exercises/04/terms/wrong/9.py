# message: anything else ends it
from memlab.text import STOP_WORDS


def terms(text: str) -> list[str]:
    kept = "".join(
        char for char in text.lower() if char.isalnum() or char.isspace()
    )
    return [word for word in kept.split() if word not in STOP_WORDS]
