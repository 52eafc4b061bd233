# message: gives note
import re


def file_stem(name: str, taken: set[str]) -> str:
    reserved = {"memory", "con", "prn", "aux", "nul"}
    reserved |= {f"com{digit}" for digit in range(10)}
    reserved |= {f"lpt{digit}" for digit in range(10)}
    if not name.strip():
        name = "note"
    stem = re.sub(r"[\W_]+", "-", name.lower()).strip("-")
    used = {other.lower() for other in taken} | reserved
    result = stem
    number = 2
    while result in used:
        result = f"{stem}-{number}"
        number += 1
    return result
