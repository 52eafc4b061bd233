"""Other right answers to the gaps of notebook 00."""


def memory_block(file: str, text: str) -> str:
    core = text.strip()
    if core == "":
        return ""
    rows = [
        "<system-reminder>",
        "This is from your memory.",
        '<memory file="' + file + '">',
        core,
        "</memory>",
        "</system-reminder>",
    ]
    return "\n".join(rows)


def contains_evidence(text: str, evidence: str) -> bool:
    def flat(string):
        return " ".join(string.split()).casefold()

    def joins(character):
        return character.isalnum() or character == "_"

    hay = " " + flat(text) + " "
    needle = flat(evidence)
    size = len(needle)
    for start in range(1, len(hay) - size):
        if hay[start : start + size] != needle:
            continue
        if not joins(hay[start - 1]) and not joins(hay[start + size]):
            return True
    return False
