RESERVED = {"memory", "con", "prn", "aux", "nul"}
RESERVED |= {f"com{digit}" for digit in range(10)}
RESERVED |= {f"lpt{digit}" for digit in range(10)}


def file_stem(name: str, taken: set[str]) -> str:
    spaced = ""
    for character in name.lower():
        spaced += character if character.isalnum() else " "
    stem = "-".join(spaced.split()) or "note"
    not_free = RESERVED | {other.lower() for other in taken}
    free = stem
    number = 2
    while free in not_free:
        free = f"{stem}-{number}"
        number += 1
    return free
