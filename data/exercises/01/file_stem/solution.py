def file_stem(name: str, taken: set[str]) -> str:
    reserved = {"memory", "con", "prn", "aux", "nul"}
    reserved |= {f"com{digit}" for digit in range(10)}
    reserved |= {f"lpt{digit}" for digit in range(10)}

    spaced = ""
    for character in name.lower():
        spaced += character if character.isalnum() else " "
    stem = "-".join(spaced.split()) or "note"

    not_free = reserved | {other.lower() for other in taken}
    free = stem
    number = 2
    while free in not_free:
        free = f"{stem}-{number}"
        number += 1
    return free
