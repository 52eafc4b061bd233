from memlab.text import STOP_WORDS


def terms(text: str) -> list[str]:
    spaced = ""
    for character in text.lower():
        if character.isalnum():
            spaced += character
        else:
            spaced += " "
    return [word for word in spaced.split() if word not in STOP_WORDS]
